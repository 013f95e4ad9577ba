from kassay.oracles.consumer import ORACLES, WORST
