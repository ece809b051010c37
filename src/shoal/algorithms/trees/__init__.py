"""Methods for record trees, against whoever knows m values and n relations among them."""
