import { isAppError } from '@lateen/errors';
import type { ListPlan } from '@lateen/item-filters';
import { labelTest, parseSelector } from '@lateen/kube';
import { type Item, itemOf } from '../items/item.ts';
import type { ItemType } from '../items/item-type.ts';
import { type FailureParts, noteDownGroup, tellFailure } from './list-failure.ts';
import type { ListTask } from './list-task.ts';
import { type ListPorts, ObjectList } from './object-list.ts';

export interface ListTypeParts extends ListPorts, FailureParts {
  /** The included namespaces, sorted by name. */
  namespaces: readonly string[];
  /** Called when the number of objects expected from later pages changes. */
  onRemaining(task: ListTask, objects: number): void;
}

/** Processes a page; resolves with the bytes of its objects. */
type TakePage = (items: readonly Item[]) => Promise<number>;

/** After how many failed namespaces in a row the remaining namespaces are not tried. */
const failedInRowMax = 3;

/**
 * Lists objects page by page. Objects that cannot be listed are an error of the backup; when a single object is the cause, the namespaces
 * after its namespace are listed one by one.
 * @throws only what `onPage` throws, and the signal's reason
 */
export async function listRange(
  task: ListTask,
  parts: ListTypeParts,
  onPage: TakePage,
  signal: AbortSignal,
): Promise<void> {
  const { type, range } = task;
  const list = new ObjectList(type.type, range, parts);
  const failure = await listPages(list, task, parts, onPage, signal);
  if (failure === undefined) return;
  const isWide = type.type.namespaced && range.namespace === undefined && parts.namespaces.length > 1;
  if (isWide && isAppError(failure, 'KUBE_SERVER_ERROR')) await listByNamespace(list.last, task, parts, onPage, signal);
  else tellFailure(failure, task, list.last, parts);
}

/** Lists by namespace the objects that a cluster-wide list could not return, from `last` on. */
async function listByNamespace(
  last: string | undefined,
  task: ListTask,
  parts: ListTypeParts,
  onPage: TakePage,
  signal: AbortSignal,
): Promise<void> {
  const from = last === undefined ? '' : last.slice(0, last.indexOf('/') + 1);
  let failedInRow = 0;
  for (const namespace of parts.namespaces.filter((name) => `${name}/` >= from)) {
    const own = { ...task, range: { ...task.range, namespace } };
    const after = last?.startsWith(`${namespace}/`) ? last : undefined;
    const list = new ObjectList(task.type.type, own.range, parts, after);
    const failure = await listPages(list, own, parts, onPage, signal);
    failedInRow = failure === undefined || list.last !== undefined ? 0 : failedInRow + 1;
    if (failure === undefined) continue;
    if (failedInRow === failedInRowMax) return tellFailure(failure, task, last, parts);
    tellFailure(failure, own, list.last, parts);
  }
}

/** @returns why the list ended early; undefined when it is complete */
async function listPages(
  list: ObjectList,
  task: ListTask,
  parts: ListTypeParts,
  onPage: TakePage,
  signal: AbortSignal,
): Promise<unknown> {
  const { type, notWith = [] } = task;
  const isOwn = ({ metadata }: Item['object']) => !notWith.some((test) => test(metadata.labels));
  const pages = list.pages(signal);
  let remaining = 0;
  const expect = (now: number) => {
    parts.onRemaining(task, now - remaining);
    remaining = now;
  };
  for (;;) {
    const page = await nextPage(pages, task, parts, signal);
    expect('remaining' in page ? page.remaining : 0);
    if ('failure' in page) return page.failure;
    const own = notWith.length === 0 ? page.items : page.items.filter(isOwn);
    const items = own.map((object) => itemOf(type, object));
    list.noteSize(items.length, await onPage(items));
  }
}

async function nextPage(
  pages: ReturnType<ObjectList['pages']>,
  { type }: ListTask,
  { downGroups }: ListTypeParts,
  signal: AbortSignal,
) {
  const { group } = type.type;
  try {
    if (downGroups.has(group)) throw downGroups.get(group);
    const page = await pages.next();
    return page.done === true ? { failure: undefined } : page.value;
  } catch (error) {
    signal.throwIfAborted();
    if (!isAppError(error)) throw error;
    noteDownGroup(error, group, downGroups);
    return { failure: error };
  }
}

/** One list for each namespace and selector, or one for all namespaces when the plan has no names. No two contain the same object. */
export function* listTasksOf(type: ItemType, { namespaces, labelSelectors }: ListPlan): Generator<ListTask> {
  const tests = labelSelectors.map((text) => labelTest(parseSelector(text)));
  for (const place of namespaces === 'all' ? [{}] : namespaces.map((namespace) => ({ namespace }))) {
    if (labelSelectors.length === 0) yield { type, range: place };
    for (const [at, labelSelector] of labelSelectors.entries())
      yield { type, range: { ...place, labelSelector }, notWith: tests.slice(0, at) };
  }
}
