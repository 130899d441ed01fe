#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# order.pl PORT TOKEN COUNT PATH LAST: asks COUNT times for PATH, then once for
# LAST, and reads all answers at once.  Prints how many answers for PATH had
# begun when the answer for LAST was complete, and the status of each answer.
use strict;
use warnings;
use IO::Select;
use IO::Socket::INET;
my ($port, $token, $count, $path, $last) = @ARGV;
my (%answer, @sockets, $begun);
sub ask {
	my $s = IO::Socket::INET->new("127.0.0.1:$port") or die "connect: $!\n";
	print $s "GET $_[0] HTTP/1.1\r\nHost: localhost\r\n"
	    . "Authorization: Bearer $token\r\nConnection: close\r\n\r\n";
	$s->flush;
	return $s;
}
push @sockets, ask($path) for 1 .. $count;
my $metrics = ask($last);
my $all = IO::Select->new(@sockets, $metrics);
while ($all->count) {
	for my $s ($all->can_read) {
		my $n = sysread $s, my $bytes, 1 << 20;
		$answer{$s} = ($answer{$s} // '') . substr $bytes // '', 0, 16;
		next if $n;
		$all->remove($s);
		next if $s != $metrics;
		$begun = grep { length($answer{$_} // '') } @sockets;
	}
}
my %status;
$status{substr $answer{$_} // '', 9, 3}++ for @sockets, $metrics;
print "$begun begun before;", map({ " $status{$_} x $_" } sort keys %status), "\n";
