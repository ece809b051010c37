"""shoal where data teams already are: frames, scikit-learn, pandera, Great Expectations. Each module is thin."""
