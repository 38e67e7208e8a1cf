"""Risk-controlled routing: bounds, curves, calibration with certificates, routing and splits."""
