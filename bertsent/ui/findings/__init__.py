"""What a map shows when it is asked: extremes, clusters, a boundary, calibration."""
