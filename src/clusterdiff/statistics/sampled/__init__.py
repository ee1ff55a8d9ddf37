"""Truth that is a sample: its design, the estimate, the plan for more, and the draw."""
