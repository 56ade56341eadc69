import { readList, readObject, readSelector, readText, readTexts } from '@lateen/item-filters';

const readPatch = readObject({ operation: readText, path: readText, value: readText, from: readText });
const readPatchData = readObject({ patchData: readText });
const readConditions = readObject({
  groupResource: readText,
  namespaces: readTexts,
  resourceNameRegex: readText,
  labelSelector: readSelector,
  matches: readList(readObject({ path: readText, value: readText })),
});
/** One rule as it is written; a key that is not known is an error. */
export const readRule = readObject({
  conditions: readConditions,
  patches: readList(readPatch),
  mergePatches: readList(readPatchData),
  strategicPatches: readList(readPatchData),
});

export type WrittenRule = ReturnType<typeof readRule>;
export type WrittenPatch = ReturnType<typeof readPatch>;
