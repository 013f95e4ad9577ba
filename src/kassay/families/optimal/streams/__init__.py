"""The optimal assignor of the streams family: active tasks and standbys placed together, and warm-ups until they are there."""
