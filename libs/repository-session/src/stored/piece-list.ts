/** Stores the bytes of one piece of a list and returns its content ID. */
export type WritePiece = (data: Uint8Array) => Promise<string>;

/** One entry of a list: bytes from `start`, `length` of them, are object `id`. */
interface ListEntry {
  start: number;
  length: number;
  id: string;
}

/** A piece of a list is as long as a chunk of most splitters, so that a list of 4 MiB has no list of its own. */
export const listPieceBytes = 4 * 1024 * 1024;

const beginning = '{"stream":"kopia:indirect","entries":[';
/** Go's encoder ends with a newline. */
const end = ']}\n';

/**
 * Writes the list of chunks of an object, as kopia does (repo/object/object_writer.go), and returns the ID of the object. One chunk
 * needs no list; a list of more than one piece has a list itself. A list that has changed in one place has the same
 * pieces as before in all others, because IDs have one length: those are stored once.
 */
export async function writeChunkList(
  ids: readonly string[],
  { chunkBytes, sizeBytes }: { chunkBytes: number; sizeBytes: number },
  write: WritePiece,
  pieceBytes = listPieceBytes,
): Promise<string> {
  const [only] = ids;
  if (only !== undefined && ids.length === 1) return only;
  return `I${await writeList(entriesOf(ids, chunkBytes, sizeBytes), write, pieceBytes)}`;
}

function* entriesOf(ids: readonly string[], chunkBytes: number, sizeBytes: number): Generator<ListEntry> {
  let start = 0;
  for (const id of ids) {
    const length = Math.min(chunkBytes, sizeBytes - start);
    yield { start, length, id };
    start += length;
  }
}

/** Returns the ID of the list as an object. */
async function writeList(entries: Iterable<ListEntry>, write: WritePiece, pieceBytes: number): Promise<string> {
  const pieces: ListEntry[] = [];
  let start = 0;
  for (const data of cutInPieces(textOf(entries), pieceBytes)) {
    pieces.push({ start, length: data.length, id: await write(data) });
    start += data.length;
  }
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return only.id;
  return `I${await writeList(pieces, write, pieceBytes)}`;
}

/** Go leaves out what is zero. */
function* textOf(entries: Iterable<ListEntry>): Generator<string> {
  let before = beginning;
  for (const { start, length, id } of entries) {
    yield `${before}{${start === 0 ? '' : `"s":${start},`}"l":${length},"o":"${id}"}`;
    before = ',';
  }
  yield end;
}

/** All but the last piece have the same length; one piece is in memory at a time. IDs are ASCII. */
function* cutInPieces(texts: Iterable<string>, pieceBytes: number): Generator<Uint8Array> {
  let piece = Buffer.allocUnsafe(pieceBytes);
  let used = 0;
  for (let text of texts) {
    while (text !== '') {
      const written = piece.write(text.slice(0, pieceBytes - used), used, 'latin1');
      used += written;
      text = text.slice(written);
      if (used < pieceBytes) continue;
      yield piece;
      piece = Buffer.allocUnsafe(pieceBytes);
      used = 0;
    }
  }
  if (used > 0) yield piece.subarray(0, used);
}
