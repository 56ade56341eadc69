import type { Unstructured } from '@lateen/kube';
import { isWorkload, titleOf } from '@lateen/manifests';

/**
 * What a person is told about workloads whose pods go on as they are, for nothing of their template has changed: whoever has pushed another image
 * under the same tag has to start them anew. One command for each namespace; none for images that are named by their digest, which cannot change.
 * @param kept titles of those workloads, as applying told them
 */
export function podsThatStay(objects: readonly Unstructured[], kept: ReadonlySet<string>): string[] {
  const workloads = objects
    .filter(isWorkload)
    .filter((object) => kept.has(titleOf(object)))
    .filter(({ spec }) => spec.template.spec.containers.some(({ image }) => !String(image).includes('@sha256:')));
  const byNamespace = Map.groupBy(workloads, ({ metadata }) => metadata.namespace ?? '');
  return [...byNamespace].map(([namespace, of]) => {
    const names = of.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`).join(' ');
    return `note: the pods in ${namespace} go on as they are, since nothing of them has changed. If there is another image under the same tag: kubectl rollout restart -n ${namespace} ${names}\n`;
  });
}
