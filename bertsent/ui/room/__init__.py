"""The students' page on a phone: a layer of the server that answers for ``/room``."""
