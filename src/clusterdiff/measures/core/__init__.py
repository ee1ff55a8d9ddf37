"""What a measure is: registry, dispatch, parameters, zero division, intervals."""
