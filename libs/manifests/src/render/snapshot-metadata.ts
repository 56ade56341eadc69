import type { Unstructured } from '@lateen/kube';
import { withTemplate } from './pod-template.ts';
import type { RenderOptions } from './render-options.ts';

/** Of objects that are for changed blocks alone. */
const component = { label: 'app.kubernetes.io/component', value: 'snapshot-metadata' } as const;

/** What is for changed blocks in pods that do other work too, by how deploy/base names it. */
const container = 'csi-snapshot-metadata';
const isArgument = (text: string) => text.startsWith('--metadata-');
const isName = ({ name }: { name?: unknown }) => /^metadata(-|$)/.test(String(name));

const without = (list: unknown) => (list as { name?: unknown }[]).filter((each) => !isName(each));

/** The object without what tells changed blocks of our own volumes, when that is not wanted; undefined when the object is for nothing else. */
export function forSnapshotMetadata(
  object: Unstructured,
  { snapshotMetadata = true }: RenderOptions,
): Unstructured | undefined {
  if (snapshotMetadata) return object;
  if (object.metadata.labels?.[component.label] === component.value) return undefined;
  return withTemplate(object, ({ spec }) => {
    spec.containers = spec.containers.filter(({ name }) => name !== container);
    for (const each of spec.containers) {
      if (each.args?.some(isArgument) !== true) continue;
      each.args = each.args.filter((text) => !isArgument(text));
      each.volumeMounts = without(each.volumeMounts ?? []);
      if (without(each.ports ?? []).length === 0) delete each.ports;
      else each.ports = without(each.ports);
    }
    if (spec.volumes !== undefined) spec.volumes = without(spec.volumes);
  });
}
