"""Take it apart: the six parts of an answer, from the letters of a review to the loss and back."""
