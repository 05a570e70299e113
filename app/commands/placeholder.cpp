namespace spindrift {}
