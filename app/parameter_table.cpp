// The declarations behind parameters().
#include "app/parameters.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <type_traits>

namespace spindrift {
namespace {

/// Enumerations have to_string() and NAME_of() beside them; this overload set leads from a name back to the value.
void choose(fft::Algorithm& field, std::string_view name) {
    field = fft::parse_algorithm(name).value_or(field);
}
void choose(fft::Packing& field, std::string_view name) {
    field = fft::parse_packing(name).value_or(field);
}
void choose(fft::Storage& field, std::string_view name) {
    field = fft::parse_storage(name).value_or(field);
}
void choose(CameraPath& field, std::string_view name) {
    field = parse_camera_path(name).value_or(field);
}
void choose(fft::Precision& field, std::string_view name) {
    field = fft::parse_precision(name).value_or(field);
}
void choose(fft::Effort& field, std::string_view name) {
    field = fft::parse_effort(name).value_or(field);
}
void choose(ocean::SpectrumKind& field, std::string_view name) {
    field = ocean::parse_spectrum(name).value_or(field);
}

template <class Field>
ParameterValue to_value(const Field& field) {
    if constexpr (std::is_same_v<Field, bool> || std::is_same_v<Field, double> || std::is_same_v<Field, std::string>) {
        return field;
    } else if constexpr (std::is_same_v<Field, float>) {
        // Through the shortest decimal, so that 0.1F is 0.1 and not 0.10000000149.
        const std::string text = fmt::format("{}", field);
        double value = 0;
        std::from_chars(text.data(), text.data() + text.size(), value);
        return value;
    } else if constexpr (std::is_integral_v<Field>) {
        return static_cast<std::int64_t>(field);
    } else {
        return std::string(to_string(field));
    }
}

template <class Field>
void from_value(Field& field, const ParameterValue& value) {
    if constexpr (std::is_same_v<Field, bool> || std::is_same_v<Field, std::string>)
        field = std::get<Field>(value);
    else if constexpr (std::is_floating_point_v<Field>)
        field = static_cast<Field>(std::get<double>(value));
    else if constexpr (std::is_integral_v<Field>)
        field = static_cast<Field>(std::get<std::int64_t>(value));
    else
        choose(field, std::get<std::string>(value));
}

template <class Field>
constexpr ParameterKind kind_of() {
    if constexpr (std::is_same_v<Field, bool>)
        return ParameterKind::boolean;
    else if constexpr (std::is_floating_point_v<Field>)
        return ParameterKind::real;
    else if constexpr (std::is_integral_v<Field>)
        return ParameterKind::integer;
    else if constexpr (std::is_same_v<Field, std::string>)
        return ParameterKind::path;
    else
        return ParameterKind::choice;
}

/// Collects declarations; each one names a field of Settings by a function that returns a reference to it.
class Table {
public:
    void group(std::string name, bool is_look) {
        group_ = std::move(name);
        is_look_ = is_look;
    }

    template <class Access>
    Parameter& add(Access, Parameter declared) {
        using Field = std::remove_reference_t<std::invoke_result_t<Access, Settings&>>;
        if (declared.kind != ParameterKind::text) declared.kind = kind_of<Field>();
        // Access only forms a reference, so reading through a const Settings does not write.
        declared.read = [](const Settings& s) { return to_value(Access{}(const_cast<Settings&>(s))); };
        declared.write = [](Settings& s, const ParameterValue& value) { from_value(Access{}(s), value); };
        return add(std::move(declared));
    }

    Parameter& add(Parameter declared) {
        declared.group = group_;
        declared.look = is_look_;
        declared.default_value = declared.read(Settings{});
        return entries_.emplace_back(std::move(declared));
    }

    std::vector<Parameter> take() { return std::move(entries_); }

private:
    std::vector<Parameter> entries_;
    std::string group_;
    bool is_look_ = true;
};

template <class Enumeration, std::size_t count>
std::vector<std::string> names_of(const std::array<Enumeration, count>& values) {
    std::vector<std::string> names;
    for (const Enumeration value : values) names.emplace_back(to_string(value));
    return names;
}

#define FIELD(member)                                                                                                  \
    [](Settings & s) -> auto& {                                                                                        \
        return s.member;                                                                                               \
    }

void declare_transform(Table& table) {
    table.group("transform", true);
    table.add(FIELD(algorithm), {.id = "algorithm",
                                 .label = "Algorithm",
                                 .choices = names_of(fft::all_algorithms),
                                 .help = "How the inverse FFTs are computed"});
    table.add(FIELD(size), {.id = "size",
                            .label = "Size",
                            .minimum = fft::min_size,
                            .maximum = fft::max_size,
                            .power_of_two = true,
                            .help = "Texels along each side of the tile, N of the N x N transforms"});
    table.add(FIELD(packing), {.id = "packing",
                               .label = "Packing",
                               .choices = names_of(fft::all_packings),
                               .help = "Complex numbers in a texel: vec2 holds one, vec4 holds two"});
    table.add(FIELD(storage), {.id = "storage",
                               .label = "Storage",
                               .choices = names_of(fft::all_storages),
                               .help = "Where the transforms keep their data"});
    table.add(FIELD(fused), {.id = "fused",
                             .label = "Fused",
                             .help = "With tuned: evolve and assemble inside the transform's two dispatches"});
    table.add(FIELD(intermediate),
              {.id = "intermediate",
               .label = "Intermediate",
               .choices = names_of(fft::all_precisions),
               .help = "With tuned: the numbers between rows and columns; fp16 errs by about 4e-4"});
    table
        .add(FIELD(effort), {.id = "effort",
                             .label = "Effort",
                             .choices = names_of(fft::all_efforts),
                             .help = "With tuned: measure and patient time the kernels on this GPU where that was not "
                                     "done yet, and keep the result"})
        .look = false;
    table.add(
        FIELD(interop_frames),
        {.id = "interop-frames",
         .label = "Frames per switch",
         .minimum = 1,
         .maximum = 16,
         .help = "cufft only: frames that are transformed ahead at once, to share the GPU's two context switches"});
    table.add(FIELD(cascades), {.id = "cascades",
                                .label = "Cascades",
                                .minimum = 1,
                                .maximum = 1,
                                .help = "Tiles of different lengths that are added up"});
}

/// The sea's numbers are declared in app/ocean, which knows nothing of command lines.
Parameter from_sea_parameter(const ocean::SeaParameter& source) {
    Parameter p;
    p.id = source.name;
    std::replace(p.id.begin(), p.id.end(), '_', '-');
    p.label = source.name;
    std::replace(p.label.begin(), p.label.end(), '_', ' ');
    p.label[0] = static_cast<char>(p.label[0] - 'a' + 'A');
    p.unit = source.unit;
    p.kind = source.is_integer() ? ParameterKind::integer : ParameterKind::real;
    p.minimum = source.minimum;
    p.maximum = source.maximum;
    p.logarithmic = source.logarithmic;
    p.help = source.help;
    // The table it comes from lives as long as the program.
    p.read = [&source, whole = source.is_integer()](const Settings& s) -> ParameterValue {
        const double number = source.get(s.sea);
        if (whole) return static_cast<std::int64_t>(number);
        return number;
    };
    p.write = [&source, whole = source.is_integer()](Settings& s, const ParameterValue& value) {
        source.set(s.sea, whole ? static_cast<double>(std::get<std::int64_t>(value)) : std::get<double>(value));
    };
    return p;
}

void add_sea_parameters(Table& table, bool foam) {
    for (const ocean::SeaParameter& source : ocean::sea_parameters())
        if (source.name.starts_with("foam_") == foam) table.add(from_sea_parameter(source));
}

void declare_sea(Table& table) {
    table.group("sea", true);
    table.add(FIELD(sea_name), {.id = "sea",
                                .label = "Sea",
                                .kind = ParameterKind::text,
                                .help = "A named sea (see --list-seas) or a TOML file to start from"});
    table.add(FIELD(sea.spectrum), {.id = "spectrum",
                                    .label = "Spectrum",
                                    .choices = {ocean::spectrum_names.begin(), ocean::spectrum_names.end()},
                                    .help = "How the waves' energy depends on their length and direction"});
    add_sea_parameters(table, false);
    table.group("foam", true);
    add_sea_parameters(table, true);
}

void declare_camera_and_light(Table& table) {
    table.group("camera", true);
    constexpr double far = 1e6;
    table.add(FIELD(camera.position.x), {.id = "camera-x",
                                         .label = "Camera x",
                                         .unit = "m",
                                         .minimum = -far,
                                         .maximum = far,
                                         .help = "Position along x"});
    table.add(FIELD(camera.position.y), {.id = "camera-y",
                                         .label = "Camera height",
                                         .unit = "m",
                                         .minimum = -1000,
                                         .maximum = 1e5,
                                         .help = "Height above the still water"});
    table.add(FIELD(camera.position.z), {.id = "camera-z",
                                         .label = "Camera z",
                                         .unit = "m",
                                         .minimum = -far,
                                         .maximum = far,
                                         .help = "Position along z"});
    table.add(FIELD(camera.yaw_degrees), {.id = "camera-yaw",
                                          .label = "Camera yaw",
                                          .unit = "degrees",
                                          .minimum = -360,
                                          .maximum = 360,
                                          .help = "Where the camera looks: 0 is -z, 90 is +x"});
    table.add(FIELD(camera.pitch_degrees), {.id = "camera-pitch",
                                            .label = "Camera pitch",
                                            .unit = "degrees",
                                            .minimum = -89,
                                            .maximum = 89,
                                            .help = "Upwards from the horizon"});
    table.add(FIELD(camera.field_of_view_degrees), {.id = "field-of-view",
                                                    .label = "Field of view",
                                                    .unit = "degrees",
                                                    .minimum = 10,
                                                    .maximum = 120,
                                                    .help = "From the lower to the upper edge of the picture"});
    table.add(FIELD(camera_path), {.id = "camera-path",
                                   .label = "Camera path",
                                   .choices = names_of(all_camera_paths),
                                   .help = "How the camera moves while frames are measured, by their number"});

    table.group("light", true);
    table.add(FIELD(sky.sun_elevation_degrees), {.id = "sun-elevation",
                                                 .label = "Sun elevation",
                                                 .unit = "degrees",
                                                 .minimum = 0.5,
                                                 .maximum = 90,
                                                 .help = "Above the horizon"});
    table.add(FIELD(sky.sun_azimuth_degrees), {.id = "sun-azimuth",
                                               .label = "Sun azimuth",
                                               .unit = "degrees",
                                               .minimum = -360,
                                               .maximum = 360,
                                               .help = "0 is -z, 90 is +x, as the camera's yaw"});
    table.add(FIELD(sky.cloud_cover), {.id = "cloud-cover",
                                       .label = "Cloud cover",
                                       .minimum = 0,
                                       .maximum = 1,
                                       .help = "0 is a clear sky, 1 an overcast one"});
    table.add(FIELD(sky.haze),
              {.id = "haze", .label = "Haze", .minimum = 0, .maximum = 10, .help = "1 is clear air over the sea"});
    table.add(FIELD(exposure), {.id = "exposure",
                                .label = "Exposure",
                                .unit = "stops",
                                .minimum = -8,
                                .maximum = 8,
                                .help = "Brightness of the picture; each stop doubles it"});
}

void declare_surface(Table& table) {
    table.group("surface", true);
    table.add(FIELD(vertices), {.id = "vertices",
                                .label = "Vertices",
                                .minimum = 1000,
                                .maximum = 100'000'000,
                                .logarithmic = true,
                                .help = "The mesh has at least as many"});
    table.add(FIELD(look.ripples), {.id = "ripples",
                                    .label = "Ripples",
                                    .minimum = 0,
                                    .maximum = 3,
                                    .help = "Strength of the ripples that are finer than the tile's texels"});
    table.add(FIELD(look.crest_glow), {.id = "crest-glow",
                                       .label = "Crest glow",
                                       .minimum = 0,
                                       .maximum = 3,
                                       .help = "Light that shines through crests"});
    table.add(FIELD(look.foam), {.id = "foam-cover",
                                 .label = "Foam cover",
                                 .minimum = 0,
                                 .maximum = 3,
                                 .help = "Multiplies how much foam is drawn"});
    table.add(FIELD(look.visibility), {.id = "visibility",
                                       .label = "Visibility",
                                       .unit = "m",
                                       .minimum = 100,
                                       .maximum = 100'000,
                                       .logarithmic = true,
                                       .help = "Distance after which air leaves 1/e of the contrast"});
    table.add(FIELD(look.wireframe),
              {.id = "wireframe", .label = "Wireframe", .bare_flag = true, .help = "Draws the mesh's edges only"});
}

void declare_run(Table& table) {
    table.group("run", true);
    table.add(FIELD(time),
              {.id = "time", .label = "Time", .unit = "s", .minimum = 0, .maximum = 1e9, .help = "At the first frame"});
    table.add(FIELD(dt), {.id = "dt",
                          .label = "Time step",
                          .unit = "s",
                          .minimum = 0,
                          .maximum = 10,
                          .help = "From frame to frame; without this flag a window follows the clock"});
    table
        .add(FIELD(frames), {.id = "frames",
                             .label = "Frames",
                             .minimum = 0,
                             .maximum = 1e9,
                             .help = "Frames to measure; 0: until the window closes, 60 in a headless run"})
        .look = false;
    table
        .add(FIELD(seconds), {.id = "seconds",
                              .label = "Seconds",
                              .unit = "s",
                              .minimum = 0,
                              .maximum = 3600,
                              .help = "Time to measure; with frames as well, whichever is over first"})
        .look = false;
    table
        .add(FIELD(warmup), {.id = "warmup",
                             .label = "Warm-up frames",
                             .minimum = 0,
                             .maximum = 1e6,
                             .help = "Frames before those that are measured; alone it says exactly how many"})
        .look = false;
    table
        .add(FIELD(warmup_seconds), {.id = "warmup-seconds",
                                     .label = "Warm-up time",
                                     .unit = "s",
                                     .minimum = 0,
                                     .maximum = 600,
                                     .help = "The warm-up lasts at least so long"})
        .look = false;
    table
        .add(FIELD(warmup_stable), {.id = "warmup-stable",
                                    .label = "Warm-up stability",
                                    .unit = "%",
                                    .minimum = 0,
                                    .maximum = 100,
                                    .help = "It lasts until medians of 30 frames differ by no more; 0: not looked at"})
        .look = false;
    table
        .add(FIELD(warmup_limit), {.id = "warmup-limit",
                                   .label = "Warm-up limit",
                                   .unit = "s",
                                   .minimum = 0,
                                   .maximum = 3600,
                                   .help = "It never lasts longer; 0: no limit"})
        .look = false;
    table
        .add(FIELD(record_seconds), {.id = "record-seconds",
                                     .label = "Recording time",
                                     .unit = "s",
                                     .minimum = 0,
                                     .maximum = 600,
                                     .help = "Length of a recording that is started in the window (F9)"})
        .look = false;
    table
        .add(FIELD(record_frames), {.id = "record-frames",
                                    .label = "Recording frames",
                                    .minimum = 0,
                                    .maximum = 100'000,
                                    .help = "The same in frames; 0: the time alone decides"})
        .look = false;
    table
        .add(FIELD(headless), {.id = "headless",
                               .label = "Headless",
                               .bare_flag = true,
                               .help = "Draws the same frames without a window or display"})
        .look = false;

    table.group("window", true);
    table.add(FIELD(width), {.id = "width",
                             .label = "Width",
                             .unit = "pixels",
                             .minimum = 16,
                             .maximum = 16384,
                             .help = "Of the window or the headless picture"});
    table.add(FIELD(height), {.id = "height",
                              .label = "Height",
                              .unit = "pixels",
                              .minimum = 16,
                              .maximum = 16384,
                              .help = "Of the window or the headless picture"});
    table.add(FIELD(fullscreen),
              {.id = "fullscreen", .label = "Full screen", .bare_flag = true, .help = "Starts in full screen"});
    table.add(FIELD(vsync),
              {.id = "vsync", .label = "Vertical sync", .help = "Waits for the monitor, so that no frame is torn"});
    table.add(FIELD(ui_scale), {.id = "ui-scale",
                                .label = "Interface scale",
                                .minimum = 0,
                                .maximum = 8,
                                .help = "Size of the panel's text; 0 takes the monitor's scale"});

    table.group("output", false);
    table.add(
        FIELD(screenshot),
        {.id = "screenshot", .label = "Screenshot", .endings = {".png"}, .help = "Writes the last frame as a PNG"});
    table.add(FIELD(report), {.id = "report",
                              .label = "Report",
                              .endings = {".json", ".csv", ".html"},
                              .help = "Writes the passes' times as .json, .csv or a page to look at (.html)"});
    table.add(FIELD(html), {.id = "html",
                            .label = "Page",
                            .endings = {".html"},
                            .help = "Writes the report as a page to look at, beside --report"});
    table.add(FIELD(trace), {.id = "trace",
                             .label = "Trace",
                             .endings = {".json"},
                             .help = "Writes every pass of every frame as a .json for a trace viewer"});

    table.group("developer", false);
    table.add(
        FIELD(gl_debug),
        {.id = "gl-debug", .label = "OpenGL debugging", .bare_flag = true, .help = "Checks every OpenGL call; slower"});
    table.add(FIELD(shader_dir), {.id = "shader-dir",
                                  .label = "Shader folder",
                                  .help = "Reads the shaders from this folder and again when they change"});
    table.add(FIELD(shader_cache), {.id = "shader-cache",
                                    .label = "Shader cache",
                                    .help = "Keeps compiled shaders in this folder, off keeps none; without this flag "
                                            "a window keeps them in the cache folder, a headless run keeps none"});
}

#undef FIELD

} // namespace

std::span<const Parameter> parameters() {
    static const std::vector<Parameter> all = [] {
        Table table;
        declare_transform(table);
        declare_sea(table);
        declare_surface(table);
        declare_camera_and_light(table);
        declare_run(table);
        return table.take();
    }();
    return all;
}

bool belongs_to_sea(const Parameter& p) {
    return p.id != "sea" && (p.group == "sea" || p.group == "foam" || p.group == "light");
}

} // namespace spindrift
