/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matcher.cc - match orders, of which some are slow: timeline-dump says which.
 *
 *	c++ -std=c++17 -O2 matcher.cc $(pkg-config --cflags --libs timeline) -o matcher
 *	./matcher [orders]
 *	timeline-dump --why 'order*' /timeline-example-matcher
 *
 * A buyer and a seller trade when their prices cross; what is left of an order
 * rests in the book of its symbol.  The fault: the book of one symbol never drops
 * orders that were filled, and each order for it passes over all of them.
 */
#include "example.h"

#include <algorithm>
#include <timeline.hpp>
#include <vector>

namespace {

enum { SYMBOLS = 8, FAULTY = 5, SIDES = 2 };
enum class side : unsigned char { BUY, SELL };

struct order {
	unsigned id;
	unsigned symbol;
	side wants;
	int price;
	int left; /* to be filled */
};

struct timeline *tl;
std::vector<order> resting[SYMBOLS][SIDES];

bool
crosses(const order &taker, const order &maker)
{
	return taker.wants == side::BUY ? maker.price <= taker.price
					: maker.price >= taker.price;
}

/* Trade with the orders that rest on the other side, oldest first. */
void
fill(order &taker, std::vector<order> &makers)
{
	for (order &maker : makers) {
		const int n = std::min(taker.left, maker.left);

		if (taker.left == 0)
			break;
		if (n == 0 || !crosses(taker, maker))
			continue;
		taker.left -= n;
		maker.left -= n;
		TIMELINE_EVENT(tl, "matcher", "debug",
		    "order $taker takes $quantity from $maker at $price")
		(taker.id, n, maker.id, maker.price);
	}
}

void
take(order taker)
{
	auto span = TIMELINE_EVENT_SCOPE(tl, "matcher", "info",
	    "order $id of $symbol, $side")(taker.id, taker.symbol, taker.wants);
	auto &makers = resting[taker.symbol][taker.wants == side::BUY];

	fill(taker, makers);
	if (taker.symbol != FAULTY)
		makers.erase(std::remove_if(makers.begin(), makers.end(),
				 [](const order &o) { return o.left == 0; }),
		    makers.end());
	if (taker.left > 0)
		resting[taker.symbol][taker.wants != side::BUY].push_back(taker);
	TIMELINE_EVENT_COUNTER(tl, "matcher", "trace", "resting $orders")
	(makers.size());
}

/* The same numbers in each run. */
unsigned
draw(unsigned below)
{
	static unsigned seed = 1;

	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % below;
}

} /* namespace */

int
main(int argc, char **argv)
{
	const unsigned long orders = argc > 1 ? strtoul(argv[1], NULL, 10)
					      : 100000;

	tl = example_new("/timeline-example-matcher");
	for (unsigned id = 0; id < orders; id++)
		take({ id, draw(SYMBOLS), draw(2) ? side::BUY : side::SELL,
		    static_cast<int>(95 + draw(10)),
		    static_cast<int>(1 + draw(100)) });
	example_show("/timeline-example-matcher", "matcher", "10");
	timeline_close(tl);
	return 0;
}
