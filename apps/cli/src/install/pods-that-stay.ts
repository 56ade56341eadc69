import type { Unstructured } from '@lateen/kube';
import { isWorkload, titleOf } from '@lateen/manifests';

/**
 * Tells the user about workloads whose pods keep running because nothing in their template has changed: after a push of another
 * image under the same tag, the user has to restart them. One command for each namespace; none for images that are named by their
 * digest, which cannot change.
 * @param kept titles of those workloads, as the apply step reported them
 */
export function podsThatStay(objects: readonly Unstructured[], kept: ReadonlySet<string>): string[] {
  const workloads = objects
    .filter(isWorkload)
    .filter((object) => kept.has(titleOf(object)))
    .filter(({ spec }) => spec.template.spec.containers.some(({ image }) => !String(image).includes('@sha256:')));
  const byNamespace = Map.groupBy(workloads, ({ metadata }) => metadata.namespace ?? '');
  return [...byNamespace].map(([namespace, of]) => {
    const names = of.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`).join(' ');
    return `note: the pods in ${namespace} are not restarted, because their specification has not changed. If the tag now names another image: kubectl rollout restart -n ${namespace} ${names}\n`;
  });
}
