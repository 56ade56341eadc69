import { parseMountInfo } from '@lateen/kernel';

/** Of any mount that the kubelet makes for a pod: its volumes, its hosts file, the termination messages of its containers. */
const ofPod = /^(\/.*?|)\/pods\/[0-9a-f-]{36}\/(?:volumes|etc-hosts|containers)(?:\/|$)/;

/**
 * Where the kubelet of this node keeps its pods, as the mounts of this process say: the kubelet has made them. From the file system's
 * own root on, so that the beginning is missing where the node has that mounted somewhere, and links are followed. Undefined when
 * there is no such mount. Pure.
 * @param mountInfo the text of /proc/self/mountinfo
 */
export function kubeletDirectorySeen(mountInfo: string): string | undefined {
  for (const { root } of parseMountInfo(mountInfo)) {
    const found = ofPod.exec(root);
    if (found !== null) return found[1] || '/';
  }
  return undefined;
}
