/**
 * What a kopia object ID stands for: a content by its ID, or, with each `I` before it, a list of the pieces it was cut
 * into, which is an object itself; a `Z` is a content that the object layer has compressed.
 */
export type ObjectParts = { kind: 'content'; contentID: string; plain: boolean } | { kind: 'list'; listObject: string };

export function objectParts(objectID: string): ObjectParts {
  if (objectID.startsWith('I')) return { kind: 'list', listObject: objectID.slice(1) };
  if (objectID.startsWith('Z')) return { kind: 'content', contentID: objectID.slice(1), plain: false };
  return { kind: 'content', contentID: objectID, plain: true };
}
