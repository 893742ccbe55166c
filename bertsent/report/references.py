"""The papers behind what the lab shows, in one place, and which of them each result rests on."""

from collections.abc import Iterable
from dataclasses import dataclass

_ACL = "https://aclanthology.org/"
_ARXIV = "https://arxiv.org/abs/"
_DOI = "https://doi.org/"


@dataclass(frozen=True)
class Paper:
    """A paper as a list of references has it, and where it can be read."""

    text: str
    address: str


PAPERS = {
    "devlin2019": Paper(
        "Devlin, J., Chang, M.-W., Lee, K. and Toutanova, K. (2019). BERT: Pre-training of Deep "
        "Bidirectional Transformers for Language Understanding. NAACL, 4171–4186.",
        f"{_ACL}N19-1423/",
    ),
    "vaswani2017": Paper(
        "Vaswani, A., Shazeer, N., Parmar, N., Uszkoreit, J., Jones, L., Gomez, A. N., Kaiser, Ł. "
        "and Polosukhin, I. (2017). Attention Is All You Need. NeurIPS 30.",
        f"{_ARXIV}1706.03762",
    ),
    "wu2016": Paper(
        "Wu, Y. et al. (2016). Google's Neural Machine Translation System: Bridging the Gap "
        "between Human and Machine Translation. arXiv:1609.08144.",
        f"{_ARXIV}1609.08144",
    ),
    "ba2016": Paper(
        "Ba, J. L., Kiros, J. R. and Hinton, G. E. (2016). Layer Normalization. arXiv:1607.06450.",
        f"{_ARXIV}1607.06450",
    ),
    "hendrycks2016": Paper(
        "Hendrycks, D. and Gimpel, K. (2016). Gaussian Error Linear Units (GELUs). "
        "arXiv:1606.08415.",
        f"{_ARXIV}1606.08415",
    ),
    "loshchilov2019": Paper(
        "Loshchilov, I. and Hutter, F. (2019). Decoupled Weight Decay Regularization. ICLR.",
        f"{_ARXIV}1711.05101",
    ),
    "prechelt1998": Paper(
        "Prechelt, L. (1998). Early Stopping, But When? In: Neural Networks: Tricks of the Trade, "
        "55–69. Springer.",
        f"{_DOI}10.1007/3-540-49430-8_3",
    ),
    "li2018": Paper(
        "Li, H., Xu, Z., Taylor, G., Studer, C. and Goldstein, T. (2018). Visualizing the Loss "
        "Landscape of Neural Nets. NeurIPS 31.",
        f"{_ARXIV}1712.09913",
    ),
    "clark2019": Paper(
        "Clark, K., Khandelwal, U., Levy, O. and Manning, C. D. (2019). What Does BERT Look At? An "
        "Analysis of BERT's Attention. BlackboxNLP, 276–286.",
        f"{_ACL}W19-4828/",
    ),
    "vig2019": Paper(
        "Vig, J. (2019). A Multiscale Visualization of Attention in the Transformer Model. ACL "
        "System Demonstrations, 37–42.",
        f"{_ACL}P19-3007/",
    ),
    "abnar2020": Paper(
        "Abnar, S. and Zuidema, W. (2020). Quantifying Attention Flow in Transformers. ACL, "
        "4190–4197.",
        f"{_ACL}2020.acl-main.385/",
    ),
    "jain2019": Paper(
        "Jain, S. and Wallace, B. C. (2019). Attention is not Explanation. NAACL, 3543–3556.",
        f"{_ACL}N19-1357/",
    ),
    "michel2019": Paper(
        "Michel, P., Levy, O. and Neubig, G. (2019). Are Sixteen Heads Really Better than One? "
        "NeurIPS 32.",
        f"{_ARXIV}1905.10650",
    ),
    "sundararajan2017": Paper(
        "Sundararajan, M., Taly, A. and Yan, Q. (2017). Axiomatic Attribution for Deep Networks. "
        "ICML, 3319–3328.",
        f"{_ARXIV}1703.01365",
    ),
    "li2016": Paper(
        "Li, J., Monroe, W. and Jurafsky, D. (2016). Understanding Neural Networks through "
        "Representation Erasure. arXiv:1612.08220.",
        f"{_ARXIV}1612.08220",
    ),
    "samek2017": Paper(
        "Samek, W., Binder, A., Montavon, G., Lapuschkin, S. and Müller, K.-R. (2017). Evaluating "
        "the Visualization of What a Deep Neural Network Has Learned. IEEE Transactions on Neural "
        "Networks and Learning Systems 28(11), 2660–2673.",
        f"{_ARXIV}1509.06321",
    ),
    "deyoung2020": Paper(
        "DeYoung, J., Jain, S., Rajani, N. F., Lehman, E., Xiong, C., Socher, R. and Wallace, B. "
        "C. (2020). ERASER: A Benchmark to Evaluate Rationalized NLP Models. ACL, 4443–4458.",
        f"{_ACL}2020.acl-main.408/",
    ),
    "kendall1945": Paper(
        "Kendall, M. G. (1945). The Treatment of Ties in Ranking Problems. Biometrika 33(3), "
        "239–251.",
        f"{_DOI}10.1093/biomet/33.3.239",
    ),
    "nostalgebraist2020": Paper(
        "nostalgebraist (2020). Interpreting GPT: The Logit Lens. LessWrong.",
        "https://www.lesswrong.com/posts/AcKRB8wDpdaN6v6ru/interpreting-gpt-the-logit-lens",
    ),
    "alain2017": Paper(
        "Alain, G. and Bengio, Y. (2017). Understanding Intermediate Layers Using Linear "
        "Classifier Probes. ICLR Workshop.",
        f"{_ARXIV}1610.01644",
    ),
    "ross2021": Paper(
        "Ross, A., Marasović, A. and Peters, M. (2021). Explaining NLP Models via Minimal "
        "Contrastive Editing (MiCE). Findings of ACL, 3840–3852.",
        f"{_ACL}2021.findings-acl.336/",
    ),
    "ribeiro2020": Paper(
        "Ribeiro, M. T., Wu, T., Guestrin, C. and Singh, S. (2020). Beyond Accuracy: Behavioral "
        "Testing of NLP Models with CheckList. ACL, 4902–4912.",
        f"{_ACL}2020.acl-main.442/",
    ),
    "kiritchenko2018": Paper(
        "Kiritchenko, S. and Mohammad, S. M. (2018). Examining Gender and Race Bias in Two Hundred "
        "Sentiment Analysis Systems. *SEM, 43–53.",
        f"{_ACL}S18-2005/",
    ),
    "caliskan2017": Paper(
        "Caliskan, A., Bryson, J. J. and Narayanan, A. (2017). Semantics Derived Automatically "
        "from Language Corpora Contain Human-like Biases. Science 356(6334), 183–186.",
        f"{_DOI}10.1126/science.aal4230",
    ),
    "efron1979": Paper(
        "Efron, B. (1979). Bootstrap Methods: Another Look at the Jackknife. The Annals of "
        "Statistics 7(1), 1–26.",
        f"{_DOI}10.1214/aos/1176344552",
    ),
    "gardner2020": Paper(
        "Gardner, M. et al. (2020). Evaluating Models' Local Decision Boundaries via Contrast "
        "Sets. Findings of EMNLP, 1307–1323.",
        f"{_ACL}2020.findings-emnlp.117/",
    ),
    "maas2011": Paper(
        "Maas, A. L., Daly, R. E., Pham, P. T., Huang, D., Ng, A. Y. and Potts, C. (2011). "
        "Learning Word Vectors for Sentiment Analysis. ACL, 142–150.",
        f"{_ACL}P11-1015/",
    ),
    "cortes1995": Paper(
        "Cortes, C. and Vapnik, V. (1995). Support-Vector Networks. Machine Learning 20, 273–297.",
        f"{_DOI}10.1007/BF00994018",
    ),
    "sparckjones1972": Paper(
        "Spärck Jones, K. (1972). A Statistical Interpretation of Term Specificity and Its "
        "Application in Retrieval. Journal of Documentation 28(1), 11–21.",
        f"{_DOI}10.1108/eb026526",
    ),
    "hochreiter1997": Paper(
        "Hochreiter, S. and Schmidhuber, J. (1997). Long Short-Term Memory. Neural Computation "
        "9(8), 1735–1780.",
        f"{_DOI}10.1162/neco.1997.9.8.1735",
    ),
    "guo2017": Paper(
        "Guo, C., Pleiss, G., Sun, Y. and Weinberger, K. Q. (2017). On Calibration of Modern "
        "Neural Networks. ICML, 1321–1330.",
        f"{_ARXIV}1706.04599",
    ),
    "gal2016": Paper(
        "Gal, Y. and Ghahramani, Z. (2016). Dropout as a Bayesian Approximation: Representing "
        "Model Uncertainty in Deep Learning. ICML, 1050–1059.",
        f"{_ARXIV}1506.02142",
    ),
    "pearson1901": Paper(
        "Pearson, K. (1901). On Lines and Planes of Closest Fit to Systems of Points in Space. "
        "Philosophical Magazine 2(11), 559–572.",
        f"{_DOI}10.1080/14786440109462720",
    ),
    "ethayarajh2019": Paper(
        "Ethayarajh, K. (2019). How Contextual are Contextualized Word Representations? EMNLP, "
        "55–65.",
        f"{_ACL}D19-1006/",
    ),
    "maaten2008": Paper(
        "van der Maaten, L. and Hinton, G. (2008). Visualizing Data using t-SNE. Journal of "
        "Machine Learning Research 9, 2579–2605.",
        "https://jmlr.org/papers/v9/vandermaaten08a.html",
    ),
    "venna2001": Paper(
        "Venna, J. and Kaski, S. (2001). Neighborhood Preservation in Nonlinear Projection "
        "Methods: An Experimental Study. ICANN, 485–491.",
        f"{_DOI}10.1007/3-540-44668-0_68",
    ),
    "hoefler2015": Paper(
        "Hoefler, T. and Belli, R. (2015). Scientific Benchmarking of Parallel Computing Systems. "
        "SC '15.",
        f"{_DOI}10.1145/2807591.2807644",
    ),
    "wilson1927": Paper(
        "Wilson, E. B. (1927). Probable Inference, the Law of Succession, and Statistical "
        "Inference. Journal of the American Statistical Association 22(158), 209–212.",
        f"{_DOI}10.1080/01621459.1927.10502953",
    ),
    "mcnemar1947": Paper(
        "McNemar, Q. (1947). Note on the Sampling Error of the Difference Between Correlated "
        "Proportions or Percentages. Psychometrika 12, 153–157.",
        f"{_DOI}10.1007/BF02295996",
    ),
    "bonett2012": Paper(
        "Bonett, D. G. and Price, R. M. (2012). Adjusted Wald Confidence Interval for a Difference "
        "of Binomial Proportions Based on Paired Data. Journal of Educational and Behavioral "
        "Statistics 37(4), 479–488.",
        f"{_DOI}10.3102/1076998611411915",
    ),
    "robins1995": Paper(
        "Robins, A. (1995). Catastrophic Forgetting, Rehearsal and Pseudorehearsal. Connection "
        "Science 7(2), 123–146.",
        f"{_DOI}10.1080/09540099550039318",
    ),
    "holm1979": Paper(
        "Holm, S. (1979). A Simple Sequentially Rejective Multiple Test Procedure. Scandinavian "
        "Journal of Statistics 6(2), 65–70.",
        "https://www.jstor.org/stable/4615733",
    ),
    "cohen1960": Paper(
        "Cohen, J. (1960). A Coefficient of Agreement for Nominal Scales. Educational and "
        "Psychological Measurement 20(1), 37–46.",
        f"{_DOI}10.1177/001316446002000104",
    ),
    "fleiss1971": Paper(
        "Fleiss, J. L. (1971). Measuring Nominal Scale Agreement Among Many Raters. Psychological "
        "Bulletin 76(5), 378–382.",
        f"{_DOI}10.1037/h0031619",
    ),
    "kiela2021": Paper(
        "Kiela, D. et al. (2021). Dynabench: Rethinking Benchmarking in NLP. NAACL, 4110–4124.",
        f"{_ACL}2021.naacl-main.324/",
    ),
}

# by page, and by page and tab: what a result there rests on, in the order of importance
CITED: dict[str, tuple[str, ...]] = {
    "Home": ("devlin2019", "cortes1995", "sparckjones1972", "hochreiter1997"),
    "Fine-tune": ("devlin2019", "loshchilov2019"),
    "Fine-tune: Run": ("prechelt1998", "wilson1927"),
    "Fine-tune: Compare": ("mcnemar1947", "bonett2012", "holm1979", "wilson1927", "gardner2020"),
    "Fine-tune: All runs": ("mcnemar1947", "holm1979"),
    "Fine-tune: Loss landscape": ("li2018",),
    "Probe": ("devlin2019",),
    "Probe: Answer": (
        "vaswani2017",
        "wu2016",
        "ba2016",
        "hendrycks2016",
        "guo2017",
        "loshchilov2019",
    ),
    "Probe: Others say": (
        "cortes1995",
        "sparckjones1972",
        "hochreiter1997",
        "maas2011",
        "mcnemar1947",
    ),
    "Probe: Why": (
        "sundararajan2017",
        "li2016",
        "abnar2020",
        "jain2019",
        "samek2017",
        "deyoung2020",
        "kendall1945",
    ),
    "Probe: What would flip it": ("ross2021", "ribeiro2020"),
    "Probe: Layer by layer": ("nostalgebraist2020", "alain2017"),
    "Probe: Milliseconds": ("hoefler2015",),
    "Probe: Pairs": ("li2016", "gardner2020", "vaswani2017"),
    "Probe: Irony grid": ("ribeiro2020",),
    "Probe: Scorecard": (
        "ribeiro2020",
        "gardner2020",
        "wilson1927",
        "kiritchenko2018",
        "caliskan2017",
        "efron1979",
    ),
    "Probe: Batch": ("wilson1927",),
    "Attention": ("devlin2019", "vaswani2017", "clark2019", "jain2019"),
    "Attention: Arcs": ("vig2019",),
    "Attention: Silence heads": ("michel2019",),
    "Attention: Measures": ("abnar2020",),
    "Words": ("devlin2019", "ethayarajh2019"),
    "Map": ("devlin2019", "pearson1901", "maaten2008"),
    "Map: Boundary": ("venna2001", "cortes1995"),
    "Map: Calibration": ("guo2017", "gal2016"),
    "Class": ("devlin2019",),
    "Class: Vote": ("cohen1960", "fleiss1971", "guo2017"),
    "Class: Board": ("kiela2021",),
    "Class: Retraining": ("robins1995", "mcnemar1947", "bonett2012", "wilson1927", "ribeiro2020"),
}


def cited(page: str, tab: str = "") -> list[str]:
    """The keys of the papers that results of this tab of this page rest on."""
    return list(dict.fromkeys((*CITED.get(page, ()), *CITED.get(f"{page}: {tab}", ()))))


def in_order(keys: Iterable[str]) -> list[str]:
    """Known keys, each once, by author and year as they are listed."""
    return sorted({key for key in keys if key in PAPERS}, key=lambda key: PAPERS[key].text.lower())
