package dev.leat;

/** Something that goes on until it is closed, such as listening. Closing twice does no harm. */
public interface Registration extends AutoCloseable {
    @Override
    void close();
}
