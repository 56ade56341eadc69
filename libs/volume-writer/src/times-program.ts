/** Numbers of utimensat(2) where pods run. */
const utimensat: Readonly<Partial<Record<NodeJS.Architecture, number>>> = { x64: 280, arm64: 88 };

/**
 * The helper that sets times, undefined for a machine whose system calls it does not know. Perl's own `syscall` reaches
 * the kernel, and perl-base is in every Debian. Reads records that end in NUL: `seconds nanoseconds path`, with the path
 * relative to where it runs; an empty record asks whether all before it is done. Writes `errno path` NUL for each that failed,
 * and NUL alone as the answer. -100 is AT_FDCWD, 0x100 AT_SYMLINK_NOFOLLOW.
 */
export function timesProgram(architecture: NodeJS.Architecture): string | undefined {
  const number = utimensat[architecture];
  if (number === undefined) return undefined;
  return `$/="\\0";$|=1;while(<STDIN>){chop;if($_ eq ""){print "\\0";next}
my($s,$n,$p)=split / /,$_,3;my $t=pack("q4",$s,$n,$s,$n);
syscall(${number},-100,$p,$t,0x100)==0 or print 0+$!," $p\\0"}`;
}
