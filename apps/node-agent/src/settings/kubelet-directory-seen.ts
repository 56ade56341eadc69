/** Of any mount that the kubelet makes for a pod: its volumes, its hosts file, the termination messages of its containers. */
const ofPod = /^(\/.*?|)\/pods\/[0-9a-f-]{36}\/(?:volumes|etc-hosts|containers)(?:\/|$)/;

/** In a line of mountinfo: what of its file system a mount shows (proc_pid_mountinfo(5)). */
const rootField = 3;

/**
 * Where the kubelet of this node keeps its pods, as the mounts of this process say: the kubelet has made them. From the file system's
 * own root on, so that the beginning is missing where the node has that mounted somewhere, and links are followed. Undefined when
 * there is no such mount. Pure.
 * @param mountInfo the text of /proc/self/mountinfo
 */
export function kubeletDirectorySeen(mountInfo: string): string | undefined {
  for (const line of mountInfo.split('\n')) {
    const found = ofPod.exec(unescaped(line.split(' ')[rootField] ?? ''));
    if (found !== null) return found[1] || '/';
  }
  return undefined;
}

/** Spaces and the like are octal there. */
const unescaped = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
