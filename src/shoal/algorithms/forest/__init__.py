"""Makers for record trees: cuts of the hierarchies and disassociated relations; clusters of trees."""
