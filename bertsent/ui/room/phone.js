// The page of a room on a student's phone. What is typed waits in an outbox, which the browser keeps,
// until the server has confirmed it; what happens in the room comes as server-sent events, or is
// asked for every other second where these do not get through.
"use strict";

const code = decodeURIComponent(location.pathname.split("/")[2] || "");
const base = `/room/${encodeURIComponent(code)}`;
const find = (id) => document.getElementById(id);
const show = (id, on) => { find(id).hidden = !on; };
// milliseconds; a model that nobody has asked yet is loaded first
const SENDING = 6000, LOADING = 60000, SILENCE = 25000;

let room = null; // as the server told it last
let ahead = 0; // milliseconds by which the server's clock is before this one's
let drawn = ""; // the question whose form stands
let told = ""; // what was announced last

function make(tag, text, ...children) {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

function say(text) {
  if (text !== told) find("said").textContent = told = text;
}

const percent = (share) => `${(100 * share).toFixed(1).replace(/\.0$/, "")}\u00a0%`;
const people = (n) => (n === 1 ? "1 person" : `${n} people`);

// ---- what is to be sent ---------------------------------------------------------------------

const box = {
  key: `bertsent ${code.toUpperCase()}`,
  load() {
    try { return JSON.parse(localStorage.getItem(this.key)) || []; } catch { return this.kept || []; }
  },
  save(letters) {
    this.kept = letters; // a browser that keeps nothing still has it until it is reloaded
    try { localStorage.setItem(this.key, JSON.stringify(letters)); } catch { /* full or forbidden */ }
  },
  add(letter) { this.save([...this.load(), { ...letter, given: Date.now() }]); },
  vote(question) { return this.load().find((l) => l.body.question === question); },
};

class Refused extends Error {}

async function ask(path, body, longest = SENDING) {
  const stop = new AbortController();
  const patience = setTimeout(() => stop.abort(), longest);
  const headers = { "x-bertsent-script": "1" };
  if (body) headers["content-type"] = "application/json";
  try {
    const answer = await fetch(`${base}/${path}`, {
      method: body ? "POST" : "GET", headers, cache: "no-store", signal: stop.signal,
      body: body && JSON.stringify(body),
    });
    const content = await answer.json();
    if (answer.ok) return content;
    const final = answer.status < 500 && answer.status !== 429;
    throw Object.assign(final ? new Refused(content.error) : new Error(content.error),
      { status: answer.status });
  } finally {
    clearTimeout(patience);
  }
}

let sending = false, failing = false, sendAgain = 0;

async function send() {
  if (sending) return;
  sending = true;
  clearTimeout(sendAgain);
  try {
    for (let letters = box.load(); letters.length; letters = box.load()) {
      const letter = letters[0];
      const waited = Math.max(0, (Date.now() - letter.given) / 1000);
      try {
        const content = await ask(letter.path, { ...letter.body, waited });
        failing = false;
        take(content, letter);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        failing = false;
        done(letter);
        refuse(letter, error.message);
      }
    }
  } catch {
    failing = true;
    trouble(true);
    sendAgain = setTimeout(send, 1000 + 1000 * Math.random());
  } finally {
    sending = false;
    draw();
  }
}

function done(letter) {
  box.save(box.load().filter((other) => other.given !== letter.given));
}

let late = { question: "", text: "" };

function refuse(letter, reason) {
  if (letter.path === "vote") late = { question: letter.body.question, text: reason };
  say(reason);
}

// ---- what is heard --------------------------------------------------------------------------

let source = null, heard = 0, next = 0, deaf = 0;

function take(content, letter) {
  heard = Date.now();
  trouble(failing);
  ahead = 1000 * content.now - heard;
  if (letter) done(letter);
  if (content.room) { room = content.room; draw(); }
}

function trouble(on) {
  const kept = box.load().some((letter) => letter.path === "vote");
  const text = kept
    ? "No connection. Your vote is kept here and goes out as soon as there is one."
    : "No connection. This page comes back by itself.";
  if (find("trouble").textContent !== text) find("trouble").textContent = text;
  if (on === find("trouble").hidden) show("trouble", on);
}

async function connect() {
  clearTimeout(next);
  next = setTimeout(connect, SENDING + 2000);
  let again = 1000 + 1000 * Math.random();
  try {
    take(await ask("state"));
    if (box.load().length) send();
    if (room.joined && deaf < 3) return listen();
    if (!room.joined) again = 15000;
  } catch (error) {
    if (error instanceof Refused) return leave(error.message);
    if (error.status === 429) return leave(error.message);
    trouble(true);
  }
  clearTimeout(next);
  next = setTimeout(connect, again);
}

function listen() {
  clearTimeout(next);
  if (source) source.close();
  source = new EventSource(`${base}/events`);
  let silent = true;
  const lost = () => {
    clearTimeout(patience);
    if (source) source.close();
    source = null;
    if (silent) deaf += 1; // a proxy that keeps streams back: ask instead
    clearTimeout(next);
    next = setTimeout(connect, 500 + 1000 * Math.random());
  };
  const patience = setTimeout(lost, SENDING);
  source.onmessage = (event) => {
    clearTimeout(patience);
    silent = false;
    deaf = 0;
    take(JSON.parse(event.data));
    if (room.joined && !room.over) return;
    source.close();
    source = null;
    if (!room.joined) next = setTimeout(connect, 5000);
  };
  source.onerror = lost;
}

function wake() {
  if (!code || document.hidden || (room && room.over)) return;
  if (box.load().length) send();
  if (Date.now() - heard > 3000) connect();
}

// ---- what is seen ---------------------------------------------------------------------------

const SECTIONS = ["enter", "join", "end", "wait", "question", "board", "lesson", "probe"];
const LABELS = ["Negative", "Positive"];

function only(...ids) {
  for (const id of SECTIONS) show(id, ids.includes(id));
}

function leave(reason) {
  only("end");
  trouble(false);
  find("end-title").textContent = reason.split(". ")[0].replace(/\.$/, "");
  find("end-text").textContent = reason.split(". ").slice(1).join(". ");
}

function draw() {
  if (!room) return;
  find("title").textContent = room.title || `Room ${room.code}`;
  find("who").textContent = room.nickname || "";
  if (room.removed) return leave("You were sent out of this room.");
  if (!room.joined) return drawJoin();
  if (room.over) return leave("The hour is over. Thank you for taking part.");
  const { question, lesson, board } = room, parts = [];
  const passed = question && question.left_behind;
  if (question && !passed) parts.push("question");
  const asked = question && question.phase === "open" && !room.vote && !box.vote(question.id);
  if (!asked && board && (board.taking || room.own_board.place || room.own_board.to_judge.length))
    parts.push("board");
  if (lesson && (!asked || question.of_lesson)) parts.push("lesson");
  if (!parts.length) parts.push("wait");
  if (!asked) parts.push("probe");
  only(...parts);
  if (question) drawQuestion(question);
  if (board) drawBoard(board, room.own_board);
  if (lesson) drawLesson(lesson, question && !passed && !question.reveal);
  drawProbe(room.probe);
}

function drawJoin() {
  only("join");
  find("join-title").textContent = room.title ? `Join “${room.title}”` : `Join room ${room.code}`;
  show("password-part", room.password);
  find("password").required = room.password;
}

function drawQuestion(question) {
  const own = room.vote, kept = box.vote(question.id);
  if (drawn !== question.id) drawForm(question);
  const open = question.phase === "open", voted = own || kept;
  const missed = late.question === question.id ? late.text : "";
  show("vote", open && !voted && !missed);
  show("time", open);
  show("voted", voted || !open || missed);
  const given = own || (kept && kept.body);
  const mine = given && `${question.options[given.choice]}, ${percent(given.confidence)} sure`;
  find("own").textContent = own ? `Your vote is counted: ${mine}.`
    : kept ? `Your vote is kept on this phone and being sent: ${mine}.`
    : missed || "The vote is over. You did not vote on this one.";
  find("count").textContent = question.reveal ? ""
    : `Voted: ${question.voted} of ${room.members}. ${open ? "" : "The answers are revealed next."}`;
  if (own && open) say("Your vote is counted.");
  drawReveal(question, own);
  tick();
}

function drawForm(question) {
  drawn = question.id;
  find("prompt").textContent = question.prompt;
  find("text").textContent = question.text;
  show("text", Boolean(question.text));
  find("options").replaceChildren(...question.options.map((option, i) => radio("choice", i, option)));
  const least = 1 / question.options.length;
  const levels = [0, 1, 2, 3, 4, 5].map((i) => Math.round(100 * (least + (1 - least) * i / 5)));
  find("confidence").replaceChildren(
    ...levels.map((level) => radio("confidence", level / 100, level)));
  find("vote").querySelector("button").disabled = true;
  find("reveal").replaceChildren();
  if (question.phase === "open") say(`New question. ${question.prompt} ${question.text}`);
}

function radio(name, value, text) {
  const input = make("input");
  Object.assign(input, { type: "radio", name, value, required: true });
  return make("label", "", input, make("span", text));
}

function drawReveal(question, own) {
  const { reveal, options } = question;
  show("reveal", reveal);
  show("verdict", reveal && !reveal.more && (own || reveal.truth !== null));
  show("why", reveal && reveal.why.length);
  show("look", reveal && reveal.link && !(question.of_lesson && room.lesson));
  if (!reveal) return;
  const rows = [classRow(reveal.class, options), ...reveal.answers.map((a) => answerRow(a, options))];
  const list = find("reveal");
  for (const row of rows.slice(list.children.length)) {
    list.append(row);
    say(row.dataset.said);
  }
  while (list.children.length > rows.length) list.lastChild.remove();
  if (reveal.more) return;
  find("verdict").textContent = verdict(reveal, options, own);
  find("why").replaceChildren(...reveal.why.map((paragraph) => make("p", paragraph)));
  find("verdict").className = own && "right" in own ? rightness(own) : "";
  say(find("verdict").textContent);
  find("look").firstChild.textContent = "Look at it in the lab";
  find("look").firstChild.href = reveal.link;
}

function classRow(counts, options) {
  const all = counts.reduce((sum, n) => sum + n, 0);
  const row = make("li", "", make("b", "Your class"));
  options.forEach((option, i) => {
    const bar = make("progress");
    Object.assign(bar, { max: all || 1, value: counts[i] });
    bar.setAttribute("aria-hidden", "true");
    row.append(Object.assign(
      make("div", "", make("span", option), bar, make("span", `${counts[i]}`)),
      { className: "bar" }));
  });
  row.dataset.said = `Your class: ${options.map((o, i) => `${o} ${counts[i]}`).join(", ")}`;
  return row;
}

function answerRow(answer, options) {
  const sure = answer.probability === null ? "" : `, ${percent(answer.probability)}`;
  const row = make("li", "", make("b", answer.name), make("span", `${options[answer.choice]}${sure}`));
  row.dataset.said = `${answer.name}: ${options[answer.choice]}${sure}`;
  return row;
}

const rightness = (own) => (own.right ? "right" : "wrong");

function verdict(reveal, options, own) {
  if (reveal.truth === null) return `You said ${options[own.choice]}.`;
  const right = `The right answer is ${options[reveal.truth]}.`;
  const others = reveal.sure_and_wrong
    ? ` ${people(reveal.sure_and_wrong)} in the class ${reveal.sure_and_wrong === 1 ? "was" : "were"} sure and wrong.`
    : "";
  if (!own) return right + others;
  return `${right} You were ${percent(own.confidence)} sure, and ${rightness(own)}.${others}`;
}

let judging = ""; // the entry whose buttons stand: it stays until it is judged, whoever else does so

function drawBoard(board, own) {
  show("offer", board.taking);
  show("closed", !board.taking);
  const entry = own.to_judge.find((each) => !box.load().some((l) => l.body.entry === each.id));
  const typing = document.activeElement === find("typed") && find("judge").hidden;
  if (!judging && entry && !typing) {
    judging = entry.id;
    find("judge").querySelector("blockquote").textContent = entry.text;
  }
  show("judge", judging);
  const best = board.best.map((each) => `${each.name} ${each.points}`).join(", ");
  find("place").textContent = (own.points ? `You are number ${own.place} with ${own.points} points. ` : "")
    + (best ? `In front: ${best}. ` : "") + `Confirmed in all: ${board.confirmed}.`;
  const standing = { waiting: "waits for a classmate to confirm it", disputed: "its label is disputed",
    dropped: "taken off by your teacher" };
  find("mine").replaceChildren(...own.mine.map((each) => make("li", "", make("b", each.text),
    make("span", `${LABELS[each.label]}; ${standing[each.standing] || `${each.points} points`}`))));
}

function drawLesson(lesson, undecided) {
  const [where, heading, text] = find("lesson").children, score = room.score;
  if (heading.textContent !== lesson.heading) say(lesson.heading);
  where.textContent = lesson.title + (lesson.step ? `, step ${lesson.step} of ${lesson.steps}` : "");
  heading.textContent = lesson.heading;
  text.replaceChildren(...lesson.text.map((paragraph) => make("p", paragraph)));
  show("score", lesson.step === null && score && score[1]);
  if (score) find("score").textContent =
    `You were right on ${score[0]} of ${score[1]} question${score[1] === 1 ? "" : "s"} of this lesson.`;
  show("to-lab", !undecided); // the lab would give the answer away
  find("to-lab").firstChild.href = lesson.link;
}

function drawProbe({ model, why_not: whyNot }) {
  find("why-not").textContent = whyNot || `Model: ${model}. Nothing that you write here is kept.`;
  show("ask", !whyNot);
  show("answered", !whyNot);
}

function drawAnswer({ title, label, note, link }) {
  const [chip, below, look] = find("answered").children;
  chip.textContent = title;
  chip.className = `chip ${label}`;
  below.textContent = note;
  look.hidden = false;
  look.firstChild.href = link;
}

function tick() {
  const question = room && room.question;
  if (!question || question.phase !== "open") return;
  const left = Math.max(0, Math.ceil((1000 * question.ends - Date.now() - ahead) / 1000));
  find("left").textContent = left
    ? `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} left` : "Time is up";
  Object.assign(find("bar"), { max: question.seconds, value: left });
  if (left === 10 && !room.vote) say("10 seconds left");
}

// ---- what is done ---------------------------------------------------------------------------

function onSubmit(id, act) {
  find(id).addEventListener("submit", (event) => { event.preventDefault(); act(event.target); });
}

onSubmit("enter", () => {
  const typed = find("code").value.toUpperCase().replace(/[^A-Z0-9]/g, "");
  if (typed) location.assign(`/room/${typed}`);
});

onSubmit("join", async (form) => {
  const wrong = form.querySelector(".wrong"), button = form.querySelector("button");
  wrong.textContent = "";
  button.disabled = true;
  try {
    take(await ask("join", { nickname: find("nickname").value, password: find("password").value }));
    say(`You are in as ${room.nickname}.`);
    listen();
  } catch (error) {
    wrong.textContent = error.status ? error.message : "No connection. Try again.";
  } finally {
    button.disabled = false;
  }
});

find("vote").addEventListener("change", (event) => {
  const form = event.currentTarget;
  form.querySelector("button").disabled = !form.checkValidity();
});

onSubmit("vote", (form) => {
  const given = new FormData(form);
  const choice = Number(given.get("choice")), confidence = Number(given.get("confidence"));
  box.add({ path: "vote", body: { question: drawn, choice, confidence } });
  draw();
  send();
});

find("label").append(...LABELS.map((label, i) => radio("label", i, label)));
find("judge").lastElementChild.append(...[...LABELS, "Either"].map((label, i) => {
  const button = make("button", label);
  button.addEventListener("click", () => {
    box.add({ path: "judge", body: { entry: judging, label: [0, 1][i] ?? null } });
    judging = "";
    draw();
    send();
  });
  return button;
}));

find("typed").addEventListener("blur", () => setTimeout(draw, 300)); // a press of a button first

onSubmit("offer", async (form) => {
  const said = find("offered"), button = form.querySelector("button");
  button.disabled = true;
  said.textContent = "The model reads it.";
  try {
    const label = Number(new FormData(form).get("label"));
    const content = await ask("offer", { text: find("typed").value, label }, LOADING);
    said.textContent = content.said;
    if (content.fooled) form.reset();
    take(content);
  } catch (error) {
    said.textContent = error.status ? error.message
      : "No connection. What you wrote is still here: send it again.";
  } finally {
    button.disabled = false;
  }
});

onSubmit("ask", async (form) => {
  const [chip, below, look] = find("answered").children, button = form.querySelector("button");
  button.disabled = look.hidden = true;
  chip.className = chip.textContent = "";
  below.textContent = "The model reads it.";
  try {
    const content = await ask("probe", { text: find("review").value }, LOADING);
    drawAnswer(content.answer);
    take(content);
  } catch (error) {
    below.textContent = error.status ? error.message
      : "No connection. What you wrote is still here: ask again.";
  } finally {
    button.disabled = false;
  }
});

if (code) {
  addEventListener("online", wake);
  addEventListener("offline", () => trouble(true));
  document.addEventListener("visibilitychange", wake);
  setInterval(() => {
    tick();
    if (source && Date.now() - heard > SILENCE) { trouble(true); connect(); }
  }, 500);
  connect();
} else {
  only("enter");
}
