"""Tree priors: settings and calibration."""
