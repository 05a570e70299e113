namespace spindrift::ocean {}
