use std::path::Path;

use crate::collect::Collector;
use crate::startup;

/// What concerns the model when it reads the file at `path`.
pub(crate) fn collect(pass: &mut Collector<'_>, path: &Path) {
    let Ok(below) = path.strip_prefix(&pass.setting.cwd) else {
        return;
    };
    let mut dir = pass.setting.cwd.clone();
    for part in below.parent().into_iter().flat_map(Path::components) {
        dir.push(part);
        startup::directory(pass, &dir);
    }
}
