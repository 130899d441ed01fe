# SPDX-License-Identifier: Apache-2.0
# slow.pl PORT COUNT: hold COUNT connections, each with a request that never
# ends: every connection sends a byte of a header each second.  A closed
# connection is opened again.  Writes "held" when all connections were open
# once; ends with its stdin.
use strict;
use warnings;
use IO::Select;
use IO::Socket::INET;

my ($port, $count) = @ARGV;
$SIG{PIPE} = 'IGNORE';
$| = 1;
my $all = IO::Select->new(\*STDIN);
my ($held, $next) = (0, time);
while (1) {
	while ($all->count < $count + 1) {
		my $s = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
			PeerPort => $port, Timeout => 60) or last;
		$s->blocking(0);
		$s->syswrite("GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: ");
		$all->add($s);
	}
	print "held\n" if !$held++ && $all->count == $count + 1;
	for my $s ($all->can_read(0.1)) {
		exit if $s == \*STDIN;
		my $n = $s->sysread(my $bytes, 4096);
		next if $n || !defined $n && $!{EAGAIN};
		$all->remove($s);
		$s->close;
	}
	next if time < $next;
	$next = time + 1;
	$_ != \*STDIN && $_->syswrite('x') for $all->handles;
}
