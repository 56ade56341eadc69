import { refused } from '@lateen/storage-rest';

/** What a body says; undefined for an empty one. Of which type the sender called it is not looked at: clients say anything. @throws REST_REFUSED */
export function parseBody(text: unknown): unknown {
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    // The message of the parser repeats a part of the text, and that may be anything.
    throw refused(`cannot read the body: it is no JSON (${error instanceof Error ? error.name : 'unknown error'})`);
  }
}
