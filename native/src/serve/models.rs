//! The models that are served, which a reload replaces one by one.

use super::{ServeError, metrics::Metrics};
use hapax_core::{
    bytes::Bytes,
    model::{Method, Model},
};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
    time::SystemTime,
};

/// A model to serve: its name in addresses, and its file.
#[derive(Clone, Debug)]
pub struct Served {
    name: String,
    path: PathBuf,
}

impl Served {
    /// The model of the file `path`, called `name`.
    pub fn new(name: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Self {
            name: name.into(),
            path: path.into(),
        }
    }

    /// `NAME=PATH`, or a path whose file name without its ending is the name.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        if let Some((name, path)) = text.split_once('=')
            && !name.is_empty()
            && !name.contains(['/', '\\'])
        {
            return Self::new(name, path);
        }
        let stem = Path::new(text).file_stem().unwrap_or_default();
        Self::new(stem.to_string_lossy(), text)
    }
}

/// A model as it was read.
pub struct Loaded {
    pub name: String,
    pub model: Model,
    /// Bytes of its file.
    pub bytes: u64,
    /// When the file was written.
    pub modified: SystemTime,
}

impl Loaded {
    /// Reads and prepares a model. Its bytes are copied, not mapped: to overwrite the file must
    /// not change what is served.
    fn read(served: &Served) -> Result<Self, ServeError> {
        let path = served.path.display();
        let wrong = |error: &dyn std::fmt::Display| ServeError::Model {
            reason: format!("{path}: {error}"),
        };
        let bytes = fs::read(&served.path).map_err(|error| wrong(&error))?;
        let modified = fs::metadata(&served.path).and_then(|data| data.modified());
        let size = bytes.len() as u64;
        let mut model = Model::from_bytes(Bytes::from(bytes)).map_err(|error| wrong(&error))?;
        model.prepare().map_err(|error| wrong(&error))?;
        Ok(Self {
            name: served.name.clone(),
            model,
            bytes: size,
            modified: modified.unwrap_or_else(|_| SystemTime::now()),
        })
    }

    /// What kind of model it is, as on the command line.
    pub fn kind(&self) -> &'static str {
        match self.model.method() {
            Method::Nearest(_) => "nearest",
            Method::Linear(_) => "linear",
            Method::Mach(_) => "mach",
            Method::Embedding(_) => "embedding",
            _ => "other",
        }
    }
}

/// All models, each behind the file that it is read from.
pub struct Shelf(Vec<(Served, RwLock<Arc<Loaded>>)>);

impl Shelf {
    pub fn load(models: Vec<Served>) -> Result<Self, ServeError> {
        if models.is_empty() {
            return Err(ServeError::NoModels);
        }
        for (at, model) in models.iter().enumerate() {
            if models[..at].iter().any(|other| other.name == model.name) {
                let name = model.name.clone();
                return Err(ServeError::SameName { name });
            }
        }
        let load = |served: Served| {
            let loaded = Loaded::read(&served)?;
            Ok((served, RwLock::new(Arc::new(loaded))))
        };
        models
            .into_iter()
            .map(load)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    pub fn names(&self) -> Vec<String> {
        self.0
            .iter()
            .map(|(served, _)| served.name.clone())
            .collect()
    }

    /// The model of this name, as it is now.
    pub fn find(&self, name: &str) -> Option<Arc<Loaded>> {
        let (_, loaded) = self.0.iter().find(|(served, _)| served.name == name)?;
        Some(now(loaded))
    }

    pub fn all(&self) -> Vec<Arc<Loaded>> {
        self.0.iter().map(|(_, loaded)| now(loaded)).collect()
    }

    /// Reads each file again; see [`super::Serving::reload`].
    pub fn reload(&self, metrics: &Metrics) -> Vec<(String, Result<(), ServeError>)> {
        let again = |(served, loaded): &(Served, RwLock<Arc<Loaded>>)| {
            let read = Loaded::read(served).map(|new| {
                *loaded.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(new);
            });
            metrics.reloaded(&served.name, read.is_ok());
            (served.name.clone(), read)
        };
        self.0.iter().map(again).collect()
    }
}

fn now(loaded: &RwLock<Arc<Loaded>>) -> Arc<Loaded> {
    Arc::clone(&loaded.read().unwrap_or_else(PoisonError::into_inner))
}

#[cfg(test)]
mod tests {
    use super::Served;
    use std::path::Path;

    #[test]
    fn a_model_is_called_by_its_file_or_as_one_likes() {
        for (text, name, path) in [
            ("a/b.hapax", "b", "a/b.hapax"),
            ("m=a/b.hapax", "m", "a/b.hapax"),
            ("a/x=y.hapax", "x=y", "a/x=y.hapax"),
            ("=x", "=x", "=x"),
        ] {
            let served = Served::parse(text);
            assert_eq!(
                (served.name.as_str(), served.path.as_path()),
                (name, Path::new(path))
            );
        }
    }
}
