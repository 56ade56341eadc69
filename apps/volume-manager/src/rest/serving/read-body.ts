import { refused } from '@lateen/storage-rest';

/** The parsed body; undefined for an empty one. The content type is ignored, because clients send any. @throws REST_REFUSED */
export function parseBody(text: unknown): unknown {
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's message repeats a part of the text, which may contain anything.
    throw refused(`cannot read the body: it is not JSON (${error instanceof Error ? error.name : 'unknown error'})`);
  }
}
