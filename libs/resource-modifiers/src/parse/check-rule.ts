import { yamlProblem } from '@lateen/item-filters';
import { type JsonPatchOperation, selectorProblem } from '@lateen/kube';
import { resourceGlob } from '../apply/resource-glob.ts';
import type { JsonMap, ModifierConditions, ModifierRule } from '../resource-modifiers.ts';
import { patchData, patchValue } from './json-value.ts';
import type { WrittenPatch, WrittenRule } from './read-rule.ts';

const operations: readonly JsonPatchOperation['op'][] = ['add', 'remove', 'replace', 'move', 'copy', 'test'];

/** A rule that can be applied to any object. @throws Velero's texts; ours, with the index of the rule, for what it finds out item by item */
export function checkedRule(written: WrittenRule, index: number): ModifierRule {
  const { patches = [], mergePatches = [], strategicPatches = [] } = written;
  const where = `resourceModifierRules[${index}]`;
  const conditions = checkedConditions(written.conditions ?? {}, `${where}.conditions`);
  if ([patches, mergePatches, strategicPatches].filter(({ length }) => length > 0).length > 1)
    throw new Error('only one of patches, mergePatches, strategicPatches can be specified');
  return {
    conditions,
    patches: patches.map((patch, at) => checkedPatch(patch, `${where}.patches[${at}]`)),
    mergePatches: mergePatches.map((patch, at) => checkedData(patch, `${where}.mergePatches[${at}]`)),
    strategicPatches: strategicPatches.map((patch, at) => checkedData(patch, `${where}.strategicPatches[${at}]`)),
  };
}

function checkedConditions(written: NonNullable<WrittenRule['conditions']>, where: string): ModifierConditions {
  const { groupResource = '', namespaces = [], resourceNameRegex = '', labelSelector, matches = [] } = written;
  // Velero's own spelling.
  if (groupResource === '') throw new Error('groupkResource cannot be empty');
  naming(`${where}.groupResource`, () => resourceGlob(groupResource));
  const problem = labelSelector === undefined ? undefined : selectorProblem(labelSelector);
  if (problem !== undefined) throw new Error(`${where}.labelSelector: ${problem}`);
  return {
    groupResource,
    namespaces,
    ...(resourceNameRegex === ''
      ? {}
      : { resourceNameRegex: naming(`${where}.resourceNameRegex`, () => expressionOf(resourceNameRegex)) }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    matches: matches.map(({ path = '', value = '' }, at) => {
      if (path === '') throw new Error('path is required for match rule');
      return { path, value: naming(`${where}.matches[${at}].value`, () => patchValue(value)) };
    }),
  };
}

/** Go's expressions begin with their flags. */
function expressionOf(text: string): RegExp {
  const [, flags = '', rest = ''] = /^(?:\(\?([ims]+)\))?([\s\S]*)$/.exec(text) ?? [];
  return new RegExp(rest, `${flags}u`);
}

function checkedPatch({ operation = '', path = '', value = '', from = '' }: WrittenPatch, where: string) {
  if (operation === '') throw new Error('operation cannot be empty');
  const op = operations.find((each) => each === operation.toLowerCase());
  if (op === undefined) throw new Error(`unsupported operation ${operation}`);
  if (path === '') throw new Error('path cannot be empty');
  for (const [field, pointer] of Object.entries({ path, from })) {
    if (pointer !== '' && !pointer.startsWith('/'))
      throw new Error(`${where}.${field}: ${pointer} does not begin with /`);
  }
  if (op === 'move' || op === 'copy') {
    if (from === '') throw new Error(`${where}: ${op} needs from`);
    return { op, path, from };
  }
  return op === 'remove' ? { op, path } : { op, path, value: naming(`${where}.value`, () => patchValue(value)) };
}

const checkedData = ({ patchData: text = '' }: { patchData?: string }, where: string): JsonMap =>
  naming(`${where}.patchData`, () => patchData(text));

function naming<T>(where: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${where}: ${yamlProblem(error)}`, { cause: error });
  }
}
