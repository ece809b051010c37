"""shoal where data teams already are, thinly: methods of frames, a step of scikit-learn, a check of pandera, an expectation of Great Expectations."""
