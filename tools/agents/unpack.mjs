// Unpacks one file that a package ships compressed: node unpack.mjs FROM TO.
// The new file is complete or isn't there.
import { createReadStream, createWriteStream, renameSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";

const [from, to] = process.argv.slice(2);
const unfinished = `${to}.${process.pid}`;
await pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(unfinished, { mode: 0o755 }));
renameSync(unfinished, to);
