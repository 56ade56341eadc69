import { isAppError } from '@lateen/errors';
import type { ListPlan } from '@lateen/item-filters';
import type { Logger } from '@lateen/kernel';
import { isNotFound, type LabelTest, labelTest, parseSelector } from '@lateen/kube';
import { type Item, itemOf } from '../items/item.ts';
import type { ItemType } from '../items/item-type.ts';
import { type ListPorts, type ListRange, ObjectList } from './object-list.ts';

export interface ListTypeParts extends ListPorts {
  log: Logger;
  /** API groups whose own server does not answer: asked once, not once for each of their types. */
  downGroups: Map<string, unknown>;
  /** More objects, or fewer, are known to come with later pages. */
  onRemaining(task: ListTask, objects: number): void;
}

/** One list of one type. */
export interface ListTask {
  type: ItemType;
  range: ListRange;
  /** An object that one of these selects comes with another list. */
  notWith?: readonly LabelTest[];
}

/**
 * The objects of one list, page by page, to `onPage`, which says how many bytes they took. What cannot be listed is an error of the
 * backup.
 * @throws only what `onPage` throws, and the signal's reason
 */
export async function listRange(
  task: ListTask,
  parts: ListTypeParts,
  onPage: (items: readonly Item[]) => Promise<number>,
  signal: AbortSignal,
): Promise<void> {
  const { type, range, notWith = [] } = task;
  const list = new ObjectList(type.type, range, parts);
  const pages = list.pages(signal);
  let remaining = 0;
  for (;;) {
    const page = await nextPage(pages, task, list, parts, signal);
    parts.onRemaining(task, (page?.remaining ?? 0) - remaining);
    if (page === undefined) return;
    remaining = page.remaining;
    const own =
      notWith.length === 0
        ? page.items
        : page.items.filter(({ metadata }) => !notWith.some((test) => test(metadata.labels)));
    const items = own.map((object) => itemOf(type, object));
    list.noteSize(items.length, await onPage(items));
  }
}

/** One list for each namespace and each selector; one for all namespaces where the plan has no names. No two have the same object. */
export function* listTasksOf(type: ItemType, { namespaces, labelSelectors }: ListPlan): Generator<ListTask> {
  const tests = labelSelectors.map((text) => labelTest(parseSelector(text)));
  for (const place of namespaces === 'all' ? [{}] : namespaces.map((namespace) => ({ namespace }))) {
    if (labelSelectors.length === 0) yield { type, range: place };
    for (const [at, labelSelector] of labelSelectors.entries())
      yield { type, range: { ...place, labelSelector }, notWith: tests.slice(0, at) };
  }
}

async function nextPage(
  pages: ReturnType<ObjectList['pages']>,
  { type, range }: ListTask,
  list: ObjectList,
  { log, downGroups }: ListTypeParts,
  signal: AbortSignal,
) {
  const { group } = type.type;
  try {
    if (downGroups.has(group)) throw downGroups.get(group);
    const page = await pages.next();
    return page.done === true ? undefined : page.value;
  } catch (error) {
    signal.throwIfAborted();
    if (!isAppError(error)) throw error;
    if (group !== '' && isAppError(error, 'KUBE_UNAVAILABLE') && error.details.httpStatus === 503)
      downGroups.set(group, error);
    const { namespace } = range;
    const where = namespace === undefined ? {} : { namespace };
    const after = list.last === undefined ? {} : { after: list.last };
    const fields = { resource: type.groupResource, ...where, ...after, err: error };
    if (isNotFound(error)) log.warn(fields, 'resource is not served any more, it has no objects in this backup');
    else log.error(fields, messageOf(list.last));
    return undefined;
  }
}

const messageOf = (last: string | undefined): string =>
  last === undefined
    ? 'Error listing items: none of these objects are in the backup'
    : `Error listing items: the objects after ${last} are not in the backup`;
