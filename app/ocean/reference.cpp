#include "app/ocean/reference.h"

#include "fft/reference.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace spindrift::ocean {
namespace {

using Complex = std::complex<double>;

/// Factor that makes the field's spectrum from that of the height.
Complex field_factor(Field field, double kx, double kz) {
    const double k = std::hypot(kx, kz);
    if (k <= 0) return field == Field::height ? 1 : 0;
    switch (field) {
    case Field::displacement_x:
        return {0, kx / k};
    case Field::displacement_z:
        return {0, kz / k};
    case Field::height:
        return 1;
    case Field::dx_by_dz:
        return -kx * kz / k;
    case Field::height_by_dx:
        return {0, kx};
    case Field::height_by_dz:
        return {0, kz};
    case Field::dx_by_dx:
        return -kx * kx / k;
    case Field::dz_by_dz:
        break;
    }
    return -kz * kz / k;
}

std::vector<Complex> height_spectrum(const InitialSpectrum& initial, double time) {
    const auto edge = static_cast<std::size_t>(initial.size);
    const double base = 2 * pi / initial.loop_period;
    const double looped = std::fmod(time, initial.loop_period); // exact, and keeps the phases small
    std::vector<Complex> spectrum(edge * edge);
    for (std::size_t row = 0; row < edge; ++row)
        for (std::size_t column = 0; column < edge; ++column) {
            const std::size_t cell = row * edge + column;
            const std::size_t opposite = (edge - row) % edge * edge + (edge - column) % edge;
            const Complex phase = std::polar(1.0, initial.omega_index[cell] * base * looped);
            spectrum[cell] = initial.h0[cell] * std::conj(phase) + std::conj(initial.h0[opposite]) * phase;
        }
    return spectrum;
}

std::vector<double> transform(const std::vector<Complex>& height, const InitialSpectrum& initial, Field field) {
    const int size = initial.size;
    const double dk = 2 * pi / initial.tile_length;
    std::vector<Complex> values(height);
    for (int row = 0; row < size; ++row)
        for (int column = 0; column < size; ++column)
            values[static_cast<std::size_t>(row) * static_cast<std::size_t>(size) + static_cast<std::size_t>(column)] *=
                field_factor(field, dk * wave_index(column, size), dk * wave_index(row, size));
    fft::reference::transform_square(values, size, fft::Direction::inverse);
    std::vector<double> real(values.size());
    std::transform(values.begin(), values.end(), real.begin(), [](const Complex& value) { return value.real(); });
    return real;
}

} // namespace

ReferenceFields reference_fields(const InitialSpectrum& initial, double time) {
    const std::vector<Complex> height = height_spectrum(initial, time);
    ReferenceFields fields;
    for (int index = 0; index < field_count; ++index)
        fields[static_cast<std::size_t>(index)] = transform(height, initial, static_cast<Field>(index));
    return fields;
}

std::vector<double> reference_field(const InitialSpectrum& initial, double time, Field field) {
    return transform(height_spectrum(initial, time), initial, field);
}

ReferencePoint reference_point(const ReferenceFields& fields, std::size_t index, double choppiness) {
    const auto at = [&](Field field) { return fields[static_cast<std::size_t>(field)][index]; };
    const double xx = 1 + choppiness * at(Field::dx_by_dx);
    const double zz = 1 + choppiness * at(Field::dz_by_dz);
    const double xz = choppiness * at(Field::dx_by_dz);
    const double hx = at(Field::height_by_dx);
    const double hz = at(Field::height_by_dz);
    const double jacobian = xx * zz - xz * xz;
    return {.x = choppiness * at(Field::displacement_x),
            .height = at(Field::height),
            .z = choppiness * at(Field::displacement_z),
            .jacobian = jacobian,
            .slope_x = (hx * zz - hz * xz) / jacobian,
            .slope_z = (hz * xx - hx * xz) / jacobian};
}

} // namespace spindrift::ocean
