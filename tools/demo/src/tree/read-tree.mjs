// Runs inside a pod: `node --input-type=module - DIR < read-tree.mjs`. Prints one JSON line per entry of the tree
// (tree-entry.ts) and a last line with their number. Needs only Node and getfattr; the workspace is not available there.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, lstatSync, openSync, readdirSync, readlinkSync, readSync, writeSync } from 'node:fs';

const root = process.argv[2];
const chunk = Buffer.alloc(1 << 20);
const firstOfInode = new Map();
const attributes = readAttributes();
let entries = 0;

function sha256(path) {
  const hash = createHash('sha256');
  const file = openSync(path, 'r');
  try {
    for (let n = readSync(file, chunk); n > 0; n = readSync(file, chunk)) hash.update(chunk.subarray(0, n));
  } finally {
    closeSync(file);
  }
  return hash.digest('hex');
}

// getfattr escapes "\", newlines and bytes above 127 in file names as \ooo.
function readAttributes() {
  const text = execFileSync('getfattr', ['-R', '-P', '-h', '-d', '-m', '-', '-e', 'base64', '--absolute-names', root], {
    maxBuffer: 1 << 30,
    encoding: 'latin1',
  });
  const found = new Map();
  for (const block of text.split('\n\n')) {
    const [head, ...lines] = block.split('\n').filter((line) => line !== '');
    if (head === undefined) continue;
    const name = Buffer.from(
      head
        .slice('# file: '.length)
        .replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8))),
      'latin1',
    );
    found.set(name.toString('base64'), lines);
  }
  return found;
}

function typeOf(stat) {
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'directory';
  if (stat.isSymbolicLink()) return 'symlink';
  if (stat.isFIFO()) return 'fifo';
  if (stat.isCharacterDevice()) return 'character-device';
  if (stat.isBlockDevice()) return 'block-device';
  return 'socket';
}

function attributesOf(path) {
  const lines = attributes.get(path.toString('base64')) ?? [];
  const attribute = (name) => lines.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1);
  const special = ['security.capability', 'system.posix_acl_access', 'system.posix_acl_default', 'security.selinux'];
  const xattrs = lines.filter((line) => !special.some((name) => line.startsWith(`${name}=`))).sort();
  const acl = [attribute('system.posix_acl_access'), attribute('system.posix_acl_default')]
    .filter((each) => each !== undefined)
    .join(' ');
  const capability = attribute('security.capability');
  return {
    ...(xattrs.length > 0 ? { xattrs } : {}),
    ...(acl === '' ? {} : { acl }),
    ...(capability === undefined ? {} : { capability }),
  };
}

function visit(path, relative) {
  const stat = lstatSync(path, { bigint: true });
  const type = typeOf(stat);
  const name = relative.toString('base64');
  const entry = {
    path: name,
    type,
    mode: Number(stat.mode & 0o7777n),
    uid: Number(stat.uid),
    gid: Number(stat.gid),
    sizeBytes: type === 'directory' ? 0 : Number(stat.size),
    allocatedBytes: type === 'directory' ? 0 : Number(stat.blocks) * 512,
    mtimeNs: String(stat.mtimeNs),
    ...attributesOf(path),
  };
  if (type === 'file') entry.sha256 = sha256(path);
  if (type === 'symlink') entry.target = readlinkSync(path, 'buffer').toString('base64');
  // makedev(3): 12 bits of major, 20 bits of minor in two parts.
  if (type.endsWith('-device'))
    entry.device = `${(stat.rdev >> 8n) & 0xfffn}:${(stat.rdev & 0xffn) | ((stat.rdev >> 12n) & 0xfff00n)}`;
  if (type !== 'directory' && stat.nlink > 1n) {
    const first = firstOfInode.get(stat.ino);
    if (first === undefined) firstOfInode.set(stat.ino, name);
    else entry.sameInodeAs = first;
  }
  writeSync(1, `${JSON.stringify(entry)}\n`);
  entries++;
  if (type !== 'directory') return;
  for (const child of readdirSync(path, { encoding: 'buffer' }).sort(Buffer.compare)) {
    // mkfs creates it and fsck owns it; it does not belong to the user.
    if (relative.length === 0 && child.toString() === 'lost+found') continue;
    const below = relative.length === 0 ? child : Buffer.concat([relative, Buffer.from('/'), child]);
    visit(Buffer.concat([path, Buffer.from('/'), child]), below);
  }
}

visit(Buffer.from(root), Buffer.alloc(0));
writeSync(1, `${JSON.stringify({ entries })}\n`);
