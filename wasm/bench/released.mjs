// Measurements run the command as users have it. Import this before `native.mjs`, which reads it.

import { fileURLToPath } from "node:url";

process.env.HAPAX_COMMAND ??= fileURLToPath(new URL("../../target/release/hapax", import.meta.url));
