"""States of the Sun, the Moon and the planets from the Earth, by GMAT R2026a (gmatpy 0.2.1) in its precise time.

    python ephemeris_states.py > ephemeris_states.txt

Columns: body, A1 modified Julian date (exact in binary), X Y Z (km), VX VY VZ (km/s), MJ2000Eq.
"""
from gmatpy import _runtime

DATES = (11400.5, 12000.25, 16101.625, 21545.0, 25000.03125, 31041.5, 31044.46875, 36004.75, 43210.125, 50000.25, 57999.96875)
BODIES = "Sun Mercury Venus Mars Jupiter Saturn Uranus Neptune Pluto Luna".split()

with _runtime.operation(clear=True) as gmat:
    system = gmat.GetSolarSystem()
    for date in DATES:
        for body in BODIES:
            state = system.GetBody(body).GetMJ2000PrecState(gmat.GmatTime(date))
            print(body, date, *(repr(state.GetElement(i)) for i in range(6)))
