"""How likely somebody is found in a release: attackers are played against it, beside the originals."""
