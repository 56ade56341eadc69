import { parseMountInfo } from '@lateen/kernel';

/**
 * Matches any mount that the kubelet makes for a pod: its volumes, its hosts file, the termination messages of its containers.
 */
const ofPod = /^(\/.*?|)\/pods\/[0-9a-f-]{36}\/(?:volumes|etc-hosts|containers)(?:\/|$)/;

/**
 * The directory in which the kubelet of this node keeps its pods, as found in the mounts of this process, which the kubelet has
 * made. The path starts at the root of its file system and has links resolved, so its beginning is missing where the node has
 * that file system mounted below its root. Undefined when there is no such mount. Pure.
 * @param mountInfo the text of /proc/self/mountinfo
 */
export function kubeletDirectorySeen(mountInfo: string): string | undefined {
  for (const { root } of parseMountInfo(mountInfo)) {
    const found = ofPod.exec(root);
    if (found !== null) return found[1] || '/';
  }
  return undefined;
}
