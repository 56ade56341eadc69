import type { ItemPlace } from '@lateen/archive';
import type { FieldChange } from './field-change.ts';

/** Replaces a value that is not shown. */
export const hidden = '(not shown)';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** The changes of an item with the values of Secrets hidden: only the fact of a change is shown. */
export function withoutSecrets(
  { groupResource }: Pick<ItemPlace, 'groupResource'>,
  changes: FieldChange[],
): FieldChange[] {
  return groupResource === 'secrets' ? changes.map(withHidden) : changes;
}

function withHidden({ path, ...values }: FieldChange): FieldChange {
  const hide = (value: unknown): unknown => hiddenIn(path, value);
  return {
    path,
    ...('before' in values ? { before: hide(values.before) } : {}),
    ...('after' in values ? { after: hide(values.after) } : {}),
  };
}

/** Shows fields that are known to contain no secret: all except the data, and the annotation that repeats the whole object. */
function hiddenIn(path: FieldChange['path'], value: unknown): unknown {
  const [top, field, key] = path;
  if (top === 'type' || top === 'kind' || top === 'apiVersion' || top === 'immutable') return value;
  if (top !== 'metadata' || field === undefined) return hidden;
  if (field !== 'annotations') return value;
  if (key !== undefined) return key === lastApplied ? hidden : value;
  const told = Object.entries(value ?? {}).map(([name, text]) => [name, name === lastApplied ? hidden : text]);
  return Object.fromEntries(told);
}
