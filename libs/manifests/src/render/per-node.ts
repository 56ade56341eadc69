import type { Unstructured } from '@lateen/kube';
import { mapStrings } from './map-strings.ts';
import { isWorkload } from './pod-template.ts';
import type { NodeDirectories } from './render-options.ts';

/** The DaemonSets of deploy/base that mount on their node. */
const mounting: ReadonlySet<string> = new Set(['lateen-csi', 'volume-manager']);

/** The directories that they name. */
const usual = { kubeletDir: '/var/lib/kubelet', csiStateDir: '/var/lib/lateen-csi' } as const;

/**
 * Puts the nodes' directories into the DaemonSets of CSI drivers. A host path cannot differ from node to node within one DaemonSet:
 * nodes that differ get one each, named after the node and bound to it. With no nodes given, nothing changes.
 */
export function perNode(objects: readonly Unstructured[], nodes: readonly NodeDirectories[]): Unstructured[] {
  const [first] = nodes;
  if (first === undefined) return [...objects];
  const alike = nodes.every((it) => it.kubeletDir === first.kubeletDir && it.csiStateDir === first.csiStateDir);
  return objects.flatMap((object) => {
    if (object.kind !== 'DaemonSet' || !mounting.has(object.metadata.name ?? '')) return [object];
    if (alike) return [withDirectories(object, first)];
    return nodes.map((node) => boundToNode(withDirectories(object, node), node));
  });
}

function withDirectories(object: Unstructured, node: NodeDirectories): Unstructured {
  return mapStrings(object, (text) =>
    replacePath(replacePath(text, usual.kubeletDir, node.kubeletDir), usual.csiStateDir, node.csiStateDir),
  );
}

/** Replaces a path at the start of the text or of an argument's value, and only whole path elements. */
function replacePath(text: string, from: string, to: string): string {
  const start = text.startsWith('--') ? text.indexOf('=') + 1 : 0;
  const [head, tail] = [text.slice(0, start), text.slice(start)];
  return tail === from || tail.startsWith(`${from}/`) ? head + to + tail.slice(from.length) : text;
}

function boundToNode(object: Unstructured, node: NodeDirectories): Unstructured {
  const name = `${object.metadata.name}-${node.name}`;
  const copy = structuredClone(object);
  if (!isWorkload(copy)) return copy;
  const label = { 'lateen.dev/node': node.name };
  copy.metadata = { ...copy.metadata, name, labels: { ...copy.metadata.labels, ...label } };
  copy.spec.selector.matchLabels = { ...copy.spec.selector.matchLabels, ...label };
  copy.spec.template.metadata.labels = { ...copy.spec.template.metadata.labels, ...label };
  const podSpec = copy.spec.template.spec;
  podSpec.nodeSelector = { ...podSpec.nodeSelector, 'kubernetes.io/hostname': node.name };
  return copy;
}
