import type { ItemPlace } from '@lateen/archive';
import type { FieldChange } from './field-change.ts';

/** Stands for a value that is not told. */
export const hidden = '(not shown)';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** The changes of an item with the values of Secrets hidden: that one has changed is all that is told of it. */
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

/** What is known to hold no secret is told: all but the data, and the annotation that holds the whole object once more. */
function hiddenIn(path: FieldChange['path'], value: unknown): unknown {
  const [top, field, key] = path;
  if (top === 'type' || top === 'kind' || top === 'apiVersion' || top === 'immutable') return value;
  if (top !== 'metadata' || field === undefined) return hidden;
  if (field !== 'annotations') return value;
  if (key !== undefined) return key === lastApplied ? hidden : value;
  const told = Object.entries(value ?? {}).map(([name, text]) => [name, name === lastApplied ? hidden : text]);
  return Object.fromEntries(told);
}
