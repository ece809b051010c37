"""shoal where data teams already are: methods of frames, a step of scikit-learn, a check of pandera. Each is thin."""
