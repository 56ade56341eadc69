import { isNamespaceName } from '@lateen/api-types';
import { globProblem } from '../names/glob.ts';
import { listProblems, type NameLists } from '../names/name-lists.ts';

/** The errors in lists of namespaces (backup-and-restore.md section 1). */
export function namespaceListProblems(lists: NameLists): string[] {
  const names = [...(lists.included ?? []), ...(lists.excluded ?? [])];
  const wrong = [...new Set(names)].flatMap((name) => {
    const problem = namespaceProblem(name);
    return problem === undefined ? [] : [`invalid namespace "${name}": ${problem}`];
  });
  return [...listProblems(lists), ...wrong];
}

/** Why a name or a glob cannot match a namespace. The empty name matches none and is accepted, as in Velero. */
export function namespaceProblem(name: string): string | undefined {
  if (name === '') return undefined;
  const problem = globProblem(name);
  if (problem !== undefined) return problem;
  // Every wildcard matches at least one character that a name may have there.
  const spelled = name.replace(/\[[^\]]*\]/g, 'x').replace(/[*?]/g, 'x');
  if (spelled.length > 63) return 'must be no more than 63 characters';
  return isNamespaceName(spelled)
    ? undefined
    : "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
}
