"""The Pareto frontier of balance and levels of cost: what one of them gains by what another gives up."""
